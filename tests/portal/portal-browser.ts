import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'
import { faultsOf } from '../people/accessibility.ts'
import { startBrowser, type PageBrowser } from '../people/page-browser.ts'
import { walkSettings, type Walk } from '../people/walk.ts'

type PortalWalk = Pick<Walk, 'service' | 'open' | 'seen'>

/** A browser and a prepared service for a test file. */
export const portalBrowser = (furnish: (service: PeopleService) => Promise<unknown>) => {
  let chromium: PageBrowser
  let service: PeopleService

  beforeAll(async () => {
    chromium = await startBrowser()
    service = await startPeopleService(walkSettings)
    await furnish(service)
  })
  afterAll(async () => {
    await chromium.close()
    await service.stop()
  })

  return {
    get browser(): Browser {
      return chromium.browser
    },
    get service(): PeopleService {
      return service
    },
  }
}

/** A page that is too wide widens a phone's window, but not its screen. */
const excess = 'document.documentElement.scrollWidth - Math.min(innerWidth, screen.width)'

/** Cells of lists, and current links, that are cut off by their container. */
const cut = `[...document.querySelectorAll('.flush td, nav [aria-current]')].filter((one) => {
  const [own, around] = [one, one.closest('.flush, nav')].map((box) => box.getBoundingClientRect())
  return own.left < around.left - 1 || own.right > around.right + 1
}).length`

/** Whether a line of code ends out of sight. */
const cutsCode = `[...document.querySelectorAll('main pre')].some(
  (code) => code.scrollWidth > code.clientWidth,
)`

/** Widths at which layouts change, within the supported range. */
const widths = [360, 640, 768, 1000, 1200, 1440, 1920]

/**
 * What is cut: the page itself, what hides its rest, tables that no scroller shows whole, and cells
 * whose text runs into the next one.
 */
const cutParts = `(() => {
  const found = []
  if (document.scrollingElement.scrollWidth > innerWidth) found.push('the page')
  const nameOf = (element) => element.tagName.toLowerCase() + '.' + element.className
  for (const element of document.querySelectorAll('main *, header *')) {
    const { overflowX, display } = getComputedStyle(element)
    const isOver = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1
    const isCut = overflowX === 'hidden' || overflowX === 'clip'
    const scrolls = overflowX === 'auto' && !element.matches('.scroll, nav, pre, textarea')
    const isDrawn = element instanceof SVGElement
    const isCell = display === 'table-cell'
    if (isOver && !isDrawn && (isCut || scrolls || isCell)) found.push(nameOf(element))
    if (element.tagName === 'TABLE' && !element.closest('.scroll')) found.push(nameOf(element))
  }
  return found
})()`

/** Values of stacked tables without their column's name, where the header is hidden. */
const unnamed = `[...document.querySelectorAll('table.stacks')].flatMap((table) => {
  const heads = [...table.querySelectorAll('thead th')].map((head) =>
    head.querySelector('.unseen') ? '' : head.textContent.trim(),
  )
  if (heads.length === 0) return ['no head']
  return [...table.querySelectorAll('tbody tr')].flatMap(({ cells }) =>
    [...cells].flatMap((cell, column) => {
      if (cell.tagName !== 'TD' || cell.childNodes.length === 0) return []
      const { content } = getComputedStyle(cell, '::before')
      const hasRoom = parseFloat(getComputedStyle(cell).paddingLeft) > 100
      const isTold = content === JSON.stringify(heads[column]) && hasRoom
      const isNamed = heads[column] === '' || isTold
      return isNamed || getComputedStyle(table.tHead).display !== 'none' ? [] : [heads[column]]
    }),
  )
})`

const cutAt = async (page: Page): Promise<string[]> => {
  const size = page.viewportSize()
  const found: string[] = []
  if (size === null || size.width < 1000) return found
  for (const width of widths) {
    await page.setViewportSize({ ...size, width })
    const parts = (await page.evaluate(cutParts)) as readonly string[]
    found.push(...parts.map((part) => `${part} is cut at ${width}`))
  }
  await page.setViewportSize(size)
  return found
}

/** The problems axe-core finds on the pages of a walk, and the pages that are cut off. */
export const faultsOfWalk = async (
  walk: (through: PortalWalk) => Promise<unknown>,
  through: Omit<PortalWalk, 'seen'>,
  mayBeWide: readonly string[] = [],
) => {
  const found: string[] = []
  const looked: string[] = []
  await walk({
    ...through,
    seen: async (name, page) => {
      looked.push(name)
      found.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`))
      for (const head of (await page.evaluate(unnamed)) as readonly string[])
        found.push(`${name}: a value of the column ${head} does not have its name`)
      if (await page.evaluate(cutsCode)) found.push(`${name}: code is cut at the right`)
      const width = Number(await page.evaluate(excess))
      if (!mayBeWide.includes(name))
        found.push(...(await cutAt(page)).map((fault) => `${name}: ${fault}`))
      if (width > 0 && !mayBeWide.includes(name)) found.push(`${name}: ${width} pixels too wide`)
      const hidden = Number(await page.evaluate(cut))
      if (hidden > 0) found.push(`${name}: ${hidden} cells or links are cut off`)
    },
  })
  return { found, looked }
}
