import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { desktop, phone } from '../people/page-browser.ts'
import { portalBrowser } from './portal-browser.ts'
import { furnishPortal, signInTo } from './portal-walk.ts'

const portal = portalBrowser(furnishPortal)

const shop = '/portal/sandbox/'
const dark = { colorScheme: 'dark' } as const

const openAt = async (path: string, options: BrowserContextOptions): Promise<Page> => {
  const page = await (await portal.browser.newContext({ locale: 'en', ...options })).newPage()
  await signInTo(page, portal.service.address, shop)
  await page.goto(portal.service.address + path)
  return page
}

const styleOf = (page: Page, selector: string, name: string) =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${name}`)

const lightText = 'rgb(22, 32, 44)'

test('on A4 payments keep their columns, in dark ink, and the page says whose it is', async () => {
  const page = await openAt(`${shop}payments`, { ...desktop, ...dark })
  // A4 without its margins.
  await page.setViewportSize({ width: 688, height: 1017 })
  expect(await styleOf(page, '.payments tbody tr', 'display')).toBe('grid')
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await styleOf(page, '.payments tbody tr', 'display')).toBe('table-row')
  expect(await styleOf(page, 'body', 'color')).toBe(lightText)
  expect(await page.locator('.shop-now b').innerText()).toBe('Sandbox Shop')
  const controls = page.locator('.side nav, .find, .head .button')
  expect(await controls.count()).toBeGreaterThan(2)
  expect(await controls.locator('visible=true').count()).toBe(0)
})

test('in the dark a choice is as dark as its card, or of the colours of the system', async () => {
  const page = await openAt(`${shop}staff?invite`, { ...phone, ...dark })
  const choice = '[name=role]:not(:checked)'
  const ground = await styleOf(page, '.card', 'backgroundColor')
  expect(await styleOf(page, choice, 'appearance')).toBe('none')
  expect(await styleOf(page, choice, 'backgroundColor')).toBe(ground)
  await page.locator('[value=cashier]').check()
  expect(await styleOf(page, '[name=role]:checked', 'backgroundColor')).not.toBe(ground)
  await page.keyboard.press('ArrowDown')
  expect(await styleOf(page, '[name=role]:checked', 'outlineStyle')).toBe('solid')
  await page.emulateMedia({ forcedColors: 'active' })
  expect(await styleOf(page, choice, 'appearance')).toBe('auto')
})

test.each([
  { name: 'a phone', screen: phone },
  { name: 'a computer', screen: desktop },
])('on $name the numbers by day are seen whole, and a card has one solid button', async (given) => {
  const page = await openAt(shop, given.screen)
  await page.locator('#columns-NOK > summary').click()
  expect(await page.locator('.scroll:has(.takings)').count()).toBeGreaterThan(0)
  const hidden = `[...document.querySelectorAll('.scroll:has(.takings)')].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  ).length`
  expect(await page.evaluate(hidden)).toBe(0)
  expect(await page.locator('#columns-NOK td.number').last().isVisible()).toBe(true)
  const solid = `Math.max(...[...document.querySelectorAll('main .card')].map((card) =>
    card.querySelectorAll(':is(button, .button):not(.second, .plain, .danger)').length,
  ))`
  expect(await page.locator('.card form .button').count()).toBeGreaterThan(1)
  expect(await page.evaluate(solid)).toBeLessThanOrEqual(1)
})

test('on a phone the menu is one row; turnover, chart and payments are high up', async () => {
  const page = await openAt(shop, phone)
  const boxOf = (selector: string) => page.locator(selector).first().boundingBox()
  expect((await boxOf('.side nav'))?.height).toBeLessThan(60)
  expect((await boxOf('.chart-card'))?.y).toBeLessThan(720)
  const isLargest = `[...document.querySelectorAll('main *')].every((one) => {
    const [own, lead] = [one, document.querySelector('.amount')].map((of) =>
      parseFloat(getComputedStyle(of).fontSize))
    return own <= lead
  })`
  expect(await page.evaluate(isLargest)).toBe(true)
  await page.goto(`${portal.service.address}${shop}payments`)
  expect((await boxOf('.payments tbody tr'))?.y).toBeLessThan(400)
})

test('on a phone what a fee is for has all of the width, and amounts end alike', async () => {
  const page = await openAt(`${shop}money/terms`, phone)
  const [row, says] = [page.locator('.terms tbody tr').first(), page.locator('.terms th .value')]
  const [all, own] = [await row.boundingBox(), await says.first().boundingBox()]
  expect(own?.width).toBe(all?.width)
  const edges = await page
    .locator('.terms')
    .first()
    .locator('.number')
    .evaluateAll((cells) =>
      cells.map((cell) => {
        const text = document.createRange()
        text.selectNodeContents(cell)
        return Math.round(text.getBoundingClientRect().right)
      }),
    )
  expect(edges.length).toBeGreaterThan(3)
  expect(new Set(edges).size).toBe(1)
})
