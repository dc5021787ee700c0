import { afterAll, beforeAll, expect } from 'vitest'
import { faultsOf } from '../people/accessibility.ts'
import { testLooks } from '../people/looks.ts'
import { startBrowser, type PageBrowser } from '../people/page-browser.ts'
import { pathOf } from './audited-service.ts'
import { cookieOf, startVisits, type Visits } from './auditor-visits.ts'

let chromium: PageBrowser
let service: Visits
let cookie: { readonly name: string; readonly value: string }
let pages: readonly string[]

beforeAll(async () => {
  ;[chromium, service] = [await startBrowser(), await startVisits()]
  const tid = await service.capture()
  const { event } = await service.refund({ amount: '1.00', currency: 'NOK', refund_id: 'r1' })
  await service.till('PUT', pathOf(tid), { action: 'reauth' })
  await service.world('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  const signedIn = await service.signIn(await service.add('ola'))
  const [name = '', value = ''] = (cookieOf(signedIn)['cookie'] ?? '').split('=')
  cookie = { name, value }
  pages = [
    ...['/audit/', '/audit/events', `/audit/event/${event.position}`, '/audit/explain'],
    ...[`/audit/explain?subject=${tid}`, '/audit/explain?subject=sandbox/1&number=payout'],
    ...['/audit/explain?subject=nothing', '/audit/refusals', '/audit/checkpoints', '/audit/export'],
    ...['/audit/query', '/audit/query?sql=select+*+from+lines', '/audit/query?sql=drop'],
  ]
})
afterAll(async () => {
  await service.remove()
  await chromium.close()
})

testLooks('then axe-core finds nothing wrong, and no page is too wide', null, async (look) => {
  const context = await chromium.browser.newContext(look)
  const page = await context.newPage()
  const found: string[] = []
  const check = async (path: string): Promise<void> => {
    await page.goto(service.address + path)
    found.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`))
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    if (isWide) found.push(`${path} is too wide`)
  }
  await check('/audit/sign-in')
  await context.addCookies([{ ...cookie, url: service.address }])
  for (const path of pages) await check(path)
  await context.close()
  expect(found).toEqual([])
})
