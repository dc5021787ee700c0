import { expect, test } from 'vitest'
import { testLooks } from '../people/looks.ts'
import { desktop, phone } from '../people/page-browser.ts'
import { withKeyboard } from './keyboard.ts'
import { sellDinner } from './payment-walk.ts'
import { faultsOfWalk, portalBrowser } from './portal-browser.ts'
import { signInTo } from './portal-walk.ts'
import type { Walk } from '../people/walk.ts'

const portal = portalBrowser(async (service) => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await sellDinner(service, 'dinner-1')
  await sellDinner(service, 'dinner-2')
})

const home = '/portal/sandbox/messages'

test('with the keyboard alone somebody finds a payment from any page and opens it', async () => {
  const context = await portal.browser.newContext({ ...desktop, locale: 'en-GB' })
  const page = await context.newPage()
  const { press, next, unseen } = withKeyboard(page)
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await signInTo(page, portal.service.address, home)
  await press('/')
  await page.keyboard.type('9901')
  await Promise.all([page.waitForEvent('load'), press('Enter')])
  expect(new URL(page.url()).searchParams.get('q')).toBe('9901')
  await press('ArrowDown')
  expect(await focused()).toContain('dinner-2')
  await press('ArrowDown')
  expect(await focused()).toContain('dinner-1')
  await press('ArrowUp', 'ArrowUp')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('q')
  await page.keyboard.type('a/b')
  expect(await page.locator('[data-seek]').inputValue()).toContain('a/b')
  await press('ArrowDown', 'ArrowDown')
  await Promise.all([page.waitForEvent('load'), press('Enter')])
  await page.locator('h1', { hasText: '347' }).waitFor()
  await next()
  expect(unseen).toEqual([])
  // Speech input types letters where nobody asked for them (WCAG 2.1.4).
  await page.goto(`${portal.service.address}/portal/account`)
  await page.locator('[name=search_key]').uncheck()
  const save = page.locator('form', { has: page.locator('[name=search_key]') }).locator('button')
  await Promise.all([page.waitForEvent('load'), save.click()])
  await page.goto(portal.service.address + home)
  await press('/')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(null)
  await context.close()
})

test('without scripts the search is sent with Enter', async () => {
  const context = await portal.browser.newContext({ ...phone, locale: 'en' })
  await signInTo(await context.newPage(), portal.service.address, home)
  const plain = await portal.browser.newContext({ ...phone, javaScriptEnabled: false })
  await plain.addCookies(await context.cookies())
  const page = await plain.newPage()
  await page.goto(portal.service.address + home)
  await page.locator('.seek input').fill('NER-1')
  await page.locator('.seek input').press('Enter')
  expect(await page.locator('.found a').allInnerTexts()).toEqual([
    expect.stringContaining('dinner-1'),
  ])
  await Promise.all([context.close(), plain.close()])
})

const walkSearch = async ({ service, open, seen }: Pick<Walk, 'service' | 'open' | 'seen'>) => {
  const page = await open()
  for (const [name, text] of [
    ['search', ''],
    ['search-found', '9901'],
    ['search-none', 'nothing of that kind'],
  ] as const) {
    await signInTo(page, service.address, `/portal/sandbox/search?q=${encodeURIComponent(text)}`)
    await seen(name, page)
  }
}

testLooks('axe-core finds nothing', null, async (look) => {
  const context = await portal.browser.newContext(look)
  const walk = { service: portal.service, open: () => context.newPage() }
  const { found, looked } = await faultsOfWalk(walkSearch, walk)
  await context.close()
  expect(found).toEqual([])
  expect(looked.length).toBe(3)
})
