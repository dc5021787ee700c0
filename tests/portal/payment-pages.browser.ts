import { expect, test } from 'vitest'
import { testLooks } from '../people/looks.ts'
import { desktop } from '../people/page-browser.ts'
import { sellDinner, walkSales } from './payment-walk.ts'
import { faultsOfWalk, portalBrowser } from './portal-browser.ts'
import { furnishPortal, signInTo } from './portal-walk.ts'
import { a4, a5, printedSizes } from './printed.ts'

const portal = portalBrowser((service) => furnishPortal(service, 4))

testLooks(
  'axe-core finds nothing in payments and codes',
  'a phone, dark, in Norwegian',
  async (look) => {
    const context = await portal.browser.newContext(look)
    const { found, looked } = await faultsOfWalk(
      walkSales,
      { service: portal.service, open: () => context.newPage() },
      ['portal-labels'],
    )
    await context.close()
    expect(found).toEqual([])
    expect(looked.length).toBeGreaterThan(15)
  },
)

test('given an open list and payment, what a till does appears there by itself', async () => {
  const context = await portal.browser.newContext({ ...desktop, locale: 'en' })
  const [list, one] = [await context.newPage(), await context.newPage()]
  await signInTo(list, portal.service.address, '/portal/sandbox/payments')
  await list.evaluate('window.isSamePage = true')
  const tid = await sellDinner(portal.service, 'follows')
  const row = list.locator('tr', { hasText: 'follows' })
  await row.getByText('Reserved', { exact: true }).waitFor()
  await one.goto(`${portal.service.address}/portal/sandbox/payments/${tid}`)
  await one.evaluate('window.isSamePage = true')
  await portal.service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
  await one.getByText('was captured.').waitFor()
  await row.getByText('Paid').waitFor()
  for (const page of [list, one]) expect(await page.evaluate('window.isSamePage')).toBe(true)
  await context.close()
})

test('when the page of an open list is a 502 for a while, it says so and goes on', async () => {
  const context = await portal.browser.newContext({ ...desktop, locale: 'nb' })
  const list = await context.newPage()
  await signInTo(list, portal.service.address, '/portal/sandbox/payments')
  const note = list.getByText('Ingen forbindelse akkurat nå')
  expect(await note.isVisible()).toBe(false)
  const path = /\/payments$/
  await list.route(path, (route) => route.fulfill({ status: 502, body: '' }))
  await sellDinner(portal.service, 'stale')
  await note.waitFor()
  await list.unroute(path)
  await list.locator('tr', { hasText: 'stale' }).waitFor()
  await note.waitFor({ state: 'hidden' })
  await context.close()
})

test('a poster is one page of A5, and 25 labels are two pages of A4', async () => {
  const context = await portal.browser.newContext({ ...desktop, locale: 'en' })
  const page = await context.newPage()
  await signInTo(page, portal.service.address, '/portal/sandbox/points-of-sale')
  const { body } = await portal.service.call('POST', '/merchant/v1/shortlink/', {
    description: 'Bar',
  })
  const path = `${portal.service.address}/portal/sandbox/points-of-sale/code/${body.id}`
  const printed = async (address: string) => {
    await page.goto(address)
    return printedSizes(page)
  }
  expect(await printed(`${path}/poster`)).toEqual([a5])
  expect(await printed(`${path}/labels?tables=1-25`)).toEqual([a4, a4])
  await context.close()
})
