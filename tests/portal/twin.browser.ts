import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { phone, startBrowser, type PageBrowser } from '../people/page-browser.ts'
import { typeBoth } from '../people/walk.ts'
import { makeCertificates } from '../process/certificates.ts'
import { startPeopleService, type PeopleService } from '../support/people-service.ts'

const TWIN_SECRET = 'a secret that both services know of each other'
const folder = mkdtempSync(join(tmpdir(), 'daybook-twin-'))
const kari = { phone: '4740000009', pin: '4711' }

/** TLS before a service, as production has it; cookies go by host alone, so each has its own. */
const startProxy = async (host: string) => {
  let target = ''
  const server = createServer(makeCertificates(folder).selfSigned, (asked, answer) => {
    const { method, headers, url = '' } = asked
    const passed = request(target + url, { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.rawHeaders)
      reply.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}`,
    leadTo: ({ address }: PeopleService) => void (target = address),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

let chromium: PageBrowser
let secret = ''
const closing: (() => unknown)[] = []

beforeAll(async () => {
  chromium = await startBrowser()
  const [real, test] = [await startProxy('localhost'), await startProxy('127.0.0.1')]
  const own = { MODE: 'production', PUBLIC_URL: real.url, TWIN_URL: test.url, TWIN_SECRET }
  const production = await startPeopleService(own)
  const other = { PUBLIC_URL: test.url, TWIN_URL: real.url, TWIN_SECRET }
  const sandbox = await startPeopleService(other)
  real.leadTo(production)
  test.leadTo(sandbox)
  places = { production: real.url, sandbox: test.url }
  closing.push(chromium.close, real.close, test.close, production.stop, sandbox.stop)
  const shop = ['--name', 'Kaffebaren AS', '--currency', 'NOK']
  await production.operator('merchant', 'add', 'kaffe', ...shop)
  const person = ['--name', 'Kari Hansen', '--pin', kari.pin]
  secret = (await production.operator('payer', 'add', kari.phone, ...person))['totp_secret'] ?? ''
  await production.operator('staff', 'add', 'kaffe', `+${kari.phone}`, '--role', 'owner')
})
afterAll(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true })
})

let places = { production: '', sandbox: '' }

test('an owner switches to the sandbox twin, takes a payment and is back by the bar', async () => {
  const context = await chromium.browser.newContext({ ...phone, ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await page.goto(`${places.production}/portal/kaffe/`)
  await typeBoth(page, { ...kari, code: () => codeAt(secret, Date.now()) })
  await page.waitForURL(`${places.production}/portal/kaffe/`)
  expect(await page.locator('aside.sandbox').count()).toBe(0)

  const to = page.getByRole('link', { name: 'Try it in the sandbox' })
  await to.scrollIntoViewIfNeeded()
  await to.click()
  await page.waitForURL(`${places.sandbox}/portal/kaffe/`)
  const bar = page.locator('aside.sandbox')
  expect(await bar.innerText()).toContain('Back to production')
  expect(await page.locator('.shop-now').innerText()).toContain('Kaffebaren AS')
  await page.getByRole('link', { name: 'Take payment', exact: true }).click()
  await page.locator('[name=amount]').fill('45')
  await page.locator('[name=text]').fill('Try')
  await page.locator('[name=how]:not([value=phone])').check()
  await page.locator('main form .actions button').click()
  await page.getByRole('heading', { name: /45\.00/ }).waitFor()

  await bar.getByRole('link').click()
  await page.waitForURL(`${places.production}/portal/`)
  await page.getByRole('link', { name: /^Kaffebaren AS/ }).click()
  await page.waitForURL(`${places.production}/portal/kaffe/`)
  await page.goto(`${places.production}/portal/kaffe/payments`)
  expect(await page.locator('main').innerText()).not.toContain('45.00')
  await context.close()
})
