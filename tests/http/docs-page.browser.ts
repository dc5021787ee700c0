import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { faultsOf } from '../people/accessibility.ts'
import { testLooks } from '../people/looks.ts'
import { desktop, phone, startBrowser, type PageBrowser } from '../people/page-browser.ts'
import { startService, type Service } from '../support/http-service.ts'

let chromium: PageBrowser
let service: Service
beforeAll(async () => {
  ;[chromium, service] = [await startBrowser(), await startService()]
})
afterAll(async () => {
  await chromium.close()
  await service.stop()
})

/** Requests to other sites, and CSP violations. */
const faults: string[] = []
afterEach(() => {
  expect(faults.splice(0)).toEqual([])
})

const open = async (path: string, options: object): Promise<Page> => {
  const page = await chromium.browser.newPage(options)
  page.on('console', (message) => faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${service.address}/`) && !url.startsWith('data:')) faults.push(url)
  })
  await page.goto(service.address + path)
  return page
}

/** Runs in the page, without our types. */
const inPage = <Answer>(page: Page, script: string) => page.evaluate<Answer>(script)

const width = (page: Page) => inPage<number>(page, 'document.documentElement.scrollWidth')

const guides = ['', '/signing', '/callbacks', '/logs', '/interface', '?q=capture']

testLooks(
  'when guides are read, then they fit and axe-core finds nothing wrong',
  'a phone, light, in English',
  async (look) => {
    for (const guide of guides) {
      const page = await open(`/docs${guide}`, look)
      expect([guide, await width(page)]).toEqual([guide, look.viewport.width])
      expect([guide, await faultsOf(page)]).toEqual([guide, []])
      await page.close()
    }
  },
)

testLooks(
  'when a request of level KEY is tried from the reference, then it is answered',
  'a phone, dark, in Norwegian',
  async (look) => {
    const page = await open('/docs/reference', look)
    await page.locator('.operation-filter-input').fill('User')
    const operation = page.locator('[id$=createUser]')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.try-out__btn').click()
    expect(await faultsOf(page)).toEqual([])
    await page.fill('[name=user]', 'admin')
    await page.setInputFiles('[name=file]', join(service.folder, 'sandbox-admin-key.pem'))
    const id = `till-${look.colorScheme}-${look.locale}`
    const body = JSON.stringify({ id, secret: 'a long secret' })
    await operation.locator('textarea').fill(body)
    await operation.locator('.execute').click()
    const status = operation.locator('.live-responses-table tbody .response-col_status').first()
    expect(await status.innerText()).toContain('201')
    expect(await faultsOf(page)).toEqual([])
    expect(await width(page)).toBe(look.viewport.width)
    const found = await service.admin('GET', `/merchant/v1/user/${id}/`)
    expect(found.status).toBe(200)
    await page.close()
  },
)

test('given no scripts, then tabs switch, the menu unfolds, the search finds', async () => {
  const page = await open('/docs', { ...phone, javaScriptEnabled: false })
  await page.locator('.tabs label', { hasText: 'Python' }).first().click()
  expect(await page.locator('.tabs pre:visible').first().innerText()).toContain('urllib')
  await page.locator('label.menu').click()
  await page.locator('.side a', { hasText: 'Errors' }).click()
  expect(await page.locator('h1').innerText()).toBe('Errors')
  await page.locator('.search input').fill('string to sign')
  await page.locator('.search input').press('Enter')
  expect(await page.locator('.hits a').first().innerText()).toBe('Three steps')
  await page.close()
})

test('given a keyboard, when somebody types after a slash, then hits come', async () => {
  const page = await open('/docs', desktop)
  await page.keyboard.press('/')
  await page.keyboard.type('retry-after')
  await page.locator('.found a', { hasText: /^Errors$/ }).click()
  expect(await page.locator('h1').innerText()).toBe('Errors')
  await page.locator('h1').click()
  await page.goto(`${service.address}/docs/signing`)
  await page.locator('.tabs label', { hasText: 'PHP' }).click()
  await page.goto(`${service.address}/docs/verifying`)
  expect(await page.locator('.tabs pre:visible').innerText()).toContain('openssl_verify')
  await page.close()
})
