import { afterAll, beforeAll, expect } from 'vitest'
import { faultsOf } from './accessibility.ts'
import { testLooks } from './looks.ts'
import { startBrowser, startShop, type PageBrowser } from './page-browser.ts'
import { walkPages } from './page-walk.ts'
import { walkSettings } from './walk.ts'
import { startPeopleService } from '../support/people-service.ts'

let chromium: PageBrowser
let shop: Awaited<ReturnType<typeof startShop>>

beforeAll(async () => {
  ;[chromium, shop] = [await startBrowser(), await startShop()]
})
afterAll(async () => {
  shop.close()
  await chromium.close()
})

testLooks(
  'when every page is looked at, errors included, then axe-core finds nothing wrong',
  'a phone, dark, in Norwegian',
  async (look) => {
    const service = await startPeopleService(walkSettings)
    const context = await chromium.browser.newContext(look)
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
)
