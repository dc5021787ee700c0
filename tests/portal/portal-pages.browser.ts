import { expect, test } from 'vitest'
import { testLooks } from '../people/looks.ts'
import { desktop } from '../people/page-browser.ts'
import { faultsOfWalk, portalBrowser } from './portal-browser.ts'
import { furnishPortal, signInTo, walkPortal } from './portal-walk.ts'
import { sell } from './shop-month.ts'

const portal = portalBrowser(furnishPortal)

testLooks(
  'when every page of the portal is looked at, axe-core finds nothing',
  'a computer, light, in Norwegian',
  async (look) => {
    const context = await portal.browser.newContext(look)
    const { found, looked } = await faultsOfWalk(walkPortal, {
      service: portal.service,
      open: () => context.newPage(),
    })
    await context.close()
    expect(found).toEqual([])
    expect(looked.length).toBeGreaterThan(10)
  },
)

test('given an open overview, when a payment comes in, it appears without a reload', async () => {
  const page = await (await portal.browser.newContext({ ...desktop, locale: 'en' })).newPage()
  await signInTo(page, portal.service.address, '/portal/sandbox/')
  const today = page.locator('.lead-figures > div', { hasText: 'Payments' }).locator('.figure')
  const before = Number(await today.textContent())
  await page.evaluate('window.isSamePage = true')
  await sell(portal.service, 'till-1', '10.00')
  await today.filter({ hasText: new RegExp(`^${before + 1}$`) }).waitFor()
  expect(await page.evaluate('window.isSamePage')).toBe(true)
})

test('a table that is unfolded stays so when a payment comes in, and is printed open', async () => {
  const page = await (await portal.browser.newContext({ ...desktop, locale: 'en' })).newPage()
  await signInTo(page, portal.service.address, '/portal/sandbox/')
  const fold = page.locator('#columns-NOK')
  const total = fold.locator('tr', { hasText: 'Total' })
  expect(await total.isVisible()).toBe(false)
  await page.emulateMedia({ media: 'print' })
  expect((await total.boundingBox())?.height).toBeGreaterThan(0)
  expect(await total.isVisible()).toBe(true)
  await page.emulateMedia({ media: 'screen' })
  await fold.locator('> summary').focus()
  await page.keyboard.press('Enter')
  const before = await total.textContent()
  await sell(portal.service, 'till-1', '10.00')
  await expect.poll(() => total.textContent(), { timeout: 20_000 }).not.toBe(before)
  expect(await total.isVisible()).toBe(true)
  expect(await page.locator('summary:focus').count()).toBe(1)
})

test('with the keyboard alone, the values of a day are read from the chart', async () => {
  const page = await (await portal.browser.newContext({ ...desktop, locale: 'en' })).newPage()
  await signInTo(page, portal.service.address, '/portal/sandbox/')
  const first = page.locator('.chart.middle .column:visible, .chart.broad .column:visible').first()
  // A payment that comes in just then puts another column in its place.
  await expect
    .poll(async () => {
      await first.focus()
      return page.locator('.column:focus').count()
    })
    .toBe(1)
  await page.keyboard.press('Tab')
  const told = page.locator('.column:focus .told')
  await told.waitFor()
  expect(await told.textContent()).toMatch(/: NOK.[\d,.]+, \d+ payments/)
})

test('a reader far away sees the times of the shop, and on hover those of their own', async () => {
  const far = { ...desktop, locale: 'en', timezoneId: 'America/New_York' }
  const timesOf = async (javaScriptEnabled: boolean) => {
    const context = await portal.browser.newContext({ ...far, javaScriptEnabled })
    const page = await context.newPage()
    await signInTo(page, portal.service.address, '/portal/sandbox/payments')
    const times = page.locator('td time')
    const told = await times.allTextContents()
    const hover = await times.first().getAttribute('title')
    const at = new Date((await times.first().getAttribute('datetime')) ?? '')
    await context.close()
    return { told, hover, at }
  }
  const { told, hover, at } = await timesOf(true)
  expect(told).toEqual((await timesOf(false)).told)
  const own = { dateStyle: 'medium', timeStyle: 'short', timeZone: far.timezoneId } as const
  expect(hover).toBe(`${at.toLocaleString('en', own)} America/New_York`)
})
