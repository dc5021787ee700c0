import type { Page } from 'playwright-core'

type Stop = {
  /** Its accessible name. */
  readonly name: string
  readonly isInMain: boolean
  /** Inside the window, and visibly focused. */
  readonly isSeen: boolean
}

/** A row of a list is highlighted as a whole. */
const stop = `(() => {
  const one = document.activeElement
  const box = one.getBoundingClientRect()
  const isAcross = box.width > 0 && box.right > 0 && box.left < innerWidth
  const isWithin = isAcross && box.bottom > 0 && box.top < innerHeight
  const isMarked = [one, one.closest('tr')].some((each) => {
    const { outlineStyle, outlineWidth } = each ? getComputedStyle(each) : {}
    return each && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
  })
  const name = one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? one.textContent
  return {
    name: name.trim().replaceAll(/\\s+/g, ' '),
    isInMain: one.closest('main') !== null,
    isSeen: isWithin && isMarked,
  }
})()`

const mostStops = 120

/** A user without a mouse. `unseen` are the tab stops without a visible focus. */
export const withKeyboard = (page: Page) => {
  const unseen: string[] = []
  const here = (): Promise<Stop> => page.evaluate(stop)

  const next = async (): Promise<Stop> => {
    await page.keyboard.press('Tab')
    const now = await here()
    if (!now.isSeen) unseen.push(`${now.name} at ${new URL(page.url()).pathname}`)
    return now
  }

  /** Tabs to the stop with this name. */
  const reach = async (name: string): Promise<void> => {
    const passed: string[] = []
    let at = await here()
    while (at.name !== name) {
      if (passed.length === mostStops) throw new Error(`no way to ${name}: ${passed.join(', ')}`)
      at = await next()
      passed.push(at.name)
    }
  }

  return {
    unseen,
    next,
    reach,
    press: (...keys: readonly string[]) =>
      keys.reduce(async (before, key) => {
        await before
        await page.keyboard.press(key)
      }, Promise.resolve()),
    /** Replaces the content of a field. */
    type: async (label: string, text: string): Promise<void> => {
      await reach(label)
      await page.keyboard.press('Control+A')
      await page.keyboard.type(text)
    },
    /** Follows a link or presses a button, and waits for the next page. */
    enter: async (name: string): Promise<void> => {
      await reach(name)
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
    },
  }
}
