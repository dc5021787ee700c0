import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultsOf } from './accessibility.ts'
import { desktop, phone, startBrowser, startShop, type PageBrowser } from './page-browser.ts'
import { walkPages } from './page-walk.ts'
import { walkSettings } from './walk.ts'
import { startPeopleService } from '../../harness/people-service.ts'

let chromium: PageBrowser
let shop: Awaited<ReturnType<typeof startShop>>

beforeAll(async () => {
  ;[chromium, shop] = [await startBrowser(), await startShop()]
})
afterAll(async () => {
  shop.close()
  await chromium.close()
})

test.each([
  { name: 'a phone, light', screen: phone, colorScheme: 'light' as const, language: 'en' },
  { name: 'a phone, dark', screen: phone, colorScheme: 'dark' as const, language: 'en' },
  { name: 'a computer, light', screen: desktop, colorScheme: 'light' as const, language: 'nb' },
  { name: 'a computer, dark', screen: desktop, colorScheme: 'dark' as const, language: 'en' },
])(
  'given $name, when every page is looked at, errors included, then axe-core finds nothing wrong',
  async ({ screen, colorScheme, language }) => {
    const service = await startPeopleService(walkSettings)
    const context = await chromium.browser.newContext({ ...screen, colorScheme, locale: language })
    const found: string[] = []
    const looked: string[] = []
    await walkPages({
      service,
      shopUrl: shop.url,
      open: async () => {
        await context.clearCookies()
        return context.newPage()
      },
      seen: async (name, page) => {
        looked.push(name)
        found.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`))
      },
    })
    await context.close()
    await service.stop()
    expect(found).toEqual([])
    expect(looked.length).toBeGreaterThan(20)
  },
  300_000,
)
