import { mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import jsQRModule from 'jsqr'
import { PNG } from 'pngjs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { sandboxPayers } from '../../service/sandbox/sandbox-data.ts'
import { desktop, phone, startBrowser, type PageBrowser } from './page-browser.ts'
import {
  codeOf,
  codeSentTo,
  startPeopleService,
  type PeopleService,
} from '../support/people-service.ts'
import { pkce } from './pkce.ts'

// A CommonJS package: its exports are one level deeper than its types say.
const jsQR = jsQRModule as unknown as (typeof jsQRModule)['default']

const pictures = process.env['SCREENSHOTS']
let chromium: PageBrowser
let browser: Browser
let service: PeopleService
let shop: Server
let shopUrl = ''
const contexts: BrowserContext[] = []
/** Errors in a page, collected in the background. */
const faults: string[] = []

beforeAll(async () => {
  chromium = await startBrowser()
  browser = chromium.browser
  service = await startPeopleService()
  shop = createServer((request, response) => {
    // As in many applications: the redirect endpoint and the final page are on different hosts.
    if (request.url?.startsWith('/elsewhere')) {
      const { port } = shop.address() as AddressInfo
      const Location = `http://localhost:${port}/done${request.url}`
      return void response.writeHead(302, { Location }).end()
    }
    response.setHeader('Content-Type', 'text/html')
    response.end(`<title>shop</title><p id="at">${request.url ?? ''}</p>`)
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
})
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  expect(faults.splice(0)).toEqual([])
})
afterAll(async () => {
  await chromium.close()
  shop.close()
  await service.stop()
})

const open = async (screen: object, extra: object = {}): Promise<Page> => {
  const context = await browser.newContext({ locale: 'en-GB', ...screen, ...extra })
  contexts.push(context)
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`a script failed: ${error.message}`))
  page.on('console', (message) => {
    // Reports what the Content-Security-Policy blocks.
    if (/Content Security Policy/.test(message.text())) faults.push(message.text())
  })
  return page
}

const picture = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined)
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

const signIn = async (page: Page, payer: keyof typeof sandboxPayers = 'alice'): Promise<void> => {
  await page.getByLabel('Phone number').fill(`+${sandboxPayers[payer].phone}`)
  await page.getByLabel('PIN').fill(sandboxPayers[payer].pin)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('One-time code').fill(codeOf(payer))
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const checkout = (fields: object = {}) =>
  service.requestPayment({
    amount: '249.00',
    text: 'Order 1042',
    success_return_uri: `${shopUrl}/thanks?order=1042`,
    failure_return_uri: `${shopUrl}/sorry?order=1042`,
    line_items: [
      {
        product_id: 'coffee',
        description: 'Coffee beans, 500 g',
        quantity: 1,
        item_cost: '149.00',
        total: '149.00',
      },
      { product_id: 'cup', description: 'Cup', quantity: 2, item_cost: '50.00', total: '100.00' },
    ],
    links: [{ uri: `${shopUrl}/terms`, caption: 'Terms of sale', show_on: ['pending'] }],
    ...fields,
  })

/** What a phone's camera reads from the screen. */
const scan = async (page: Page): Promise<string> => {
  const image = page.locator('.qr img')
  await image.evaluate((element) => (element as unknown as { decode(): Promise<void> }).decode())
  const { data, width, height } = PNG.sync.read(await image.screenshot())
  const read = jsQR(new Uint8ClampedArray(data), width, height)
  if (!read) throw new Error('there is no code to be read')
  return read.data
}

test('given a checkout on this device, when the payer signs in and adds a tip, then the shop is paid and gets the payer back', async () => {
  const { id, uri } = await checkout({ additional_edit: true })
  const page = await open(phone)
  await page.goto(uri ?? '')
  await picture(page, 'checkout-phone')
  await page.getByRole('link', { name: 'Pay on this device' }).click()
  await picture(page, 'sign-in-phone')
  await signIn(page)
  await page.getByLabel('Extra (tip)').fill('25,50')
  await expect
    .poll(() => page.getByRole('button', { name: /^Reserve/ }).innerText())
    .toContain('274.50')
  await picture(page, 'pay-phone')
  await page.getByRole('button', { name: /^Reserve/ }).click()
  await page.locator('.state.good').waitFor()
  await picture(page, 'paid-phone')
  await page.waitForURL(`${shopUrl}/thanks?order=1042`)
  expect(await service.outcome(id)).toMatchObject({
    status: 'auth',
    amount: '249.00',
    additional_amount: '25.50',
  })
})

test('given a wrong PIN, then the page keeps the number and focuses the PIN field', async () => {
  const page = await open(phone)
  await page.goto(`${service.address}/payer/sign-in`)
  await page.getByLabel('Phone number').fill(`+${sandboxPayers.alice.phone}`)
  await page.getByLabel('PIN').fill('9999')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').waitFor()
  await page.keyboard.type(sandboxPayers.alice.pin)
  await page.keyboard.press('Enter')
  await page.getByLabel('One-time code').waitFor()
})

/** The forms that a page sends from now on. */
const formsSentBy = (page: Page): readonly string[] => {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url())
  })
  return sent
}

test('given a payer who has signed in, when they go back, then they are where they wanted to be, and nothing is sent again', async () => {
  const page = await open(phone)
  await page.goto(`${service.address}/payer/sign-in?next=/payer/history`)
  await signIn(page)
  await page.waitForURL(`${service.address}/payer/history`)
  const sent = formsSentBy(page)
  await page.goBack()
  await page.waitForURL(`${service.address}/payer/history`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(sent).toEqual([])
})

test('given a code that was wrong, when the page is loaded again, then it asks anew, and nothing is sent again', async () => {
  const page = await open(phone)
  await page.goto(`${service.address}/payer/sign-in`)
  await page.getByLabel('Phone number').fill(`+${sandboxPayers.alice.phone}`)
  await page.getByLabel('PIN').fill(sandboxPayers.alice.pin)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('One-time code').fill('000000')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  const sent = formsSentBy(page)
  await page.reload()
  await page.getByLabel('Phone number').waitFor()
  expect(sent).toEqual([])
})

test('given a form that is out of date and whose address has no page, when it is sent, then the payer is at the start', async () => {
  const page = await open(phone)
  await page.goto(`${service.address}/payer/sign-in`)
  await signIn(page)
  const signOut = page.locator('nav').getByRole('button', { name: 'Sign out' })
  await signOut.waitFor()
  const csrf = page.locator('nav input[name=csrf]')
  await csrf.evaluate((input) => {
    Object.assign(input, { value: 'of another page' })
  })
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/payer/sign-out'))
  await signOut.click()
  expect((await answered).status()).toBe(303)
  await page.waitForURL(`${service.address}/payer/`)
  await signOut.waitFor()
  expect((await page.reload())?.status()).toBe(200)
})

test('given a tip that is typed with a blank between its thousands, when the payer looks at the button, then it names what will be taken', async () => {
  const { id, uri } = await checkout({ additional_edit: true })
  const page = await open(phone)
  await page.goto(uri ?? '')
  await page.getByRole('link', { name: 'Pay on this device' }).click()
  await signIn(page)
  await page.getByLabel('Extra (tip)').pressSequentially('1 000')
  const pay = page.getByRole('button', { name: /^Reserve/ })
  await expect.poll(() => pay.innerText()).toContain('1,249.00')
  await pay.click()
  await page.getByText('If that is right, pay once more.').waitFor()
  await pay.click()
  await page.locator('.state.good').waitFor()
  expect(await service.outcome(id)).toMatchObject({ status: 'auth', additional_amount: '1000.00' })
})

test('given a tip, when it is chosen, typed and mistyped, then all totals agree, and errors show at once', async () => {
  const { id, uri } = await checkout({ additional_edit: true })
  const page = await open(phone)
  await page.goto(uri ?? '')
  await page.getByRole('link', { name: 'Pay on this device' }).click()
  await signIn(page)
  const extra = page.getByLabel('Extra (tip)')
  const totals = async () => [...new Set(await page.locator('[data-sum]').allInnerTexts())]
  const total = (sum: string) => expect.poll(totals).toEqual([`NOK\u00a0${sum}`])
  const chosen = () => page.locator('a[data-tip][aria-current]').innerText()
  await total('249.00')
  expect(await chosen()).toBe('None')
  await page.getByRole('link', { name: '10%' }).click()
  await total('273.90')
  expect([await extra.inputValue(), await chosen()]).toEqual(['24.90', '10%'])
  await extra.fill('30')
  await total('279.00')
  expect(await chosen()).toBe('Other')
  for (const [typed, told] of [
    ['1O', 'Type an amount such as 25 or 12.50.'],
    ['0.005', 'Type an amount such as 25 or 12.50.'],
    ['2490.01', 'The extra can be at most ten times the amount.'],
  ] as const) {
    await extra.fill(typed)
    await page.getByText(told).waitFor()
    await total('249.00')
    expect(await extra.getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('button', { name: /^Reserve/ }).click()
    expect((await service.outcome(id)).status).toBe('pending')
  }
  await extra.fill('300')
  await page.getByText('You will be asked to confirm it.').waitFor()
  await page.getByRole('button', { name: 'Reserve NOK 549.00' }).click()
  await page.getByText('If that is right, pay once more.').waitFor()
  await total('549.00')
  expect((await service.outcome(id)).status).toBe('pending')
  await page.getByRole('button', { name: 'Reserve NOK 549.00' }).click()
  await page.locator('.state.good').waitFor()
  expect((await service.outcome(id)).additional_amount).toBe('300.00')
})

test('given a checkout, when the payer goes back to the shop before signing in, then nothing is paid', async () => {
  const { id, uri } = await checkout()
  const page = await open(phone)
  await page.goto(uri ?? '')
  await page.getByRole('link', { name: 'Pay on this device' }).click()
  await page.getByRole('link', { name: 'Back to the shop' }).click()
  await page.waitForURL(`${shopUrl}/sorry?order=1042`)
  expect((await service.outcome(id)).status).toBe('pending')
})

test('given a checkout on a computer, when the payer scans it and pays on the phone, then the computer goes on by itself', async () => {
  const { id, uri } = await checkout()
  const computer = await open(desktop)
  await computer.goto(uri ?? '')
  await computer.getByRole('img', { name: 'Scan with your phone to pay' }).waitFor()
  await picture(computer, 'checkout-desktop')
  const page = await open(phone)
  await page.goto(await scan(computer))
  await signIn(page)
  await page.getByRole('button', { name: /^Reserve/ }).click()
  await page.locator('.state.good').waitFor()
  await picture(page, 'receipt-phone')
  await computer.waitForURL(`${shopUrl}/thanks?order=1042`)
  expect((await service.outcome(id)).status).toBe('auth')
})

test('given a checkout, when the payer declines, then nothing is paid and the shop learns it', async () => {
  const { id, uri } = await checkout()
  const page = await open(desktop, { colorScheme: 'dark' })
  await page.goto(uri ?? '')
  await page.getByRole('link', { name: 'Pay on this device' }).click()
  await signIn(page, 'bob')
  await picture(page, 'pay-desktop-dark')
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByText('You declined.').waitFor()
  await picture(page, 'declined-desktop-dark')
  await page.waitForURL(`${shopUrl}/sorry?order=1042`)
  expect((await service.outcome(id)).status_code).toBe(5006)
})

test('given a checkout that nobody answers, when its time is over, then the page says so and goes back', async () => {
  const { uri } = await checkout({ expires_in: 300 })
  const page = await open(desktop, { locale: 'nb-NO' })
  await page.goto(uri ?? '')
  await page.getByText('Venter på betaling').waitFor()
  await picture(page, 'checkout-desktop-norwegian')
  await service.advance(300)
  await page.getByText('Den ble ikke besvart i tide.').waitFor()
  await picture(page, 'expired-desktop-norwegian')
  await page.waitForURL(`${shopUrl}/sorry?order=1042`)
})

test('given a page that may not follow along, for too many do, when the payment is paid, then it looks for itself', async () => {
  const { id, uri } = await checkout()
  const page = await open(desktop)
  await page.clock.install()
  await page.route('**/events', (asked) => asked.fulfill({ status: 503 }))
  const refused = page.waitForResponse((answer) => answer.status() === 503)
  await page.goto(uri ?? '')
  await refused
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  const later = async () => {
    await page.clock.fastForward(10_000)
    return page.url()
  }
  await expect.poll(later, { timeout: 10_000 }).toBe(`${shopUrl}/thanks?order=1042`)
})

test('given a payment that was paid at a checkout, when the payer wants to read on, then nobody takes them away', async () => {
  const { id, uri } = await checkout()
  const page = await open(desktop)
  await page.clock.install()
  await page.goto(uri ?? '')
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  await page.getByRole('button', { name: 'Stay here' }).click()
  await page.clock.fastForward(60_000)
  expect(page.url()).toBe(uri)
  await page.getByRole('link', { name: 'Back to the shop' }).click()
  await page.waitForURL(`${shopUrl}/thanks?order=1042`)
})

const startConsent = async (name: string, path = '/callback') => {
  const redirectUri = shopUrl + path
  const app = await service.operator(
    ...['app', 'add', 'sandbox', '--name', name, '--redirect-uri', redirectUri],
  )
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app['client_id'] ?? '',
    redirect_uri: redirectUri,
    scope: 'openid profile address',
    state: 'xyz',
    ...pkce.challenge,
  })
  return { app, redirectUri, url: `${service.address}/oauth2/auth?${query.toString()}` }
}

const tokensOf = async (
  page: Page,
  { app, redirectUri }: Awaited<ReturnType<typeof startConsent>>,
) => {
  const { searchParams } = new URL(page.url())
  expect(searchParams.get('state')).toBe('xyz')
  const answer = await fetch(`${service.address}/oauth2/token`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${app['client_id']}:${app['client_secret']}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      code: searchParams.get('code') ?? '',
      ...pkce.verifier,
    }),
  })
  return (await answer.json()) as { scope: string }
}

test.each(['Allow', 'Deny'])(
  'given an application that sends its users on to another host, when the payer presses %s, then they arrive there',
  async (answer) => {
    const { url } = await startConsent('Wanderer', '/elsewhere')
    const page = await open(desktop)
    await page.goto(url)
    await signIn(page)
    await page.getByRole('button', { name: answer }).click()
    await page.waitForURL(/^http:\/\/localhost:\d+\/done\/elsewhere\?/)
  },
)

test('given an application on a computer, when the payer scans its code and allows a part, then the computer goes on with a code', async () => {
  const consent = await startConsent('Bookshop')
  const computer = await open(desktop)
  await computer.goto(consent.url)
  const page = await open(phone)
  await page.goto(await scan(computer))
  await picture(computer, 'consent-desktop-sign-in')
  await signIn(page)
  await page.getByText('Only approve if you have just started this yourself').waitFor()
  await page.getByLabel('Your address').uncheck()
  const number = await computer.locator('.compare').innerText()
  await page.getByLabel('Number on the other screen').fill(number)
  await picture(page, 'consent-phone')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Go on at the other screen').waitFor()
  await picture(page, 'consent-done-phone')
  await computer.waitForURL(`${shopUrl}/callback?**`)
  expect((await tokensOf(computer, consent)).scope).toBe('openid profile')
})

test('given an application, when the payer signs in on the computer and allows, then it gets a code, and the payer can withdraw', async () => {
  const consent = await startConsent('Newspaper')
  const page = await open(desktop)
  await page.goto(consent.url)
  await signIn(page)
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await picture(page, 'consent-desktop')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${shopUrl}/callback?**`)
  expect((await tokensOf(page, consent)).scope).toBe('openid address profile')
  await page.goto(`${service.address}/payer/permissions`)
  await picture(page, 'permissions-desktop')
  const row = page.getByRole('listitem').filter({ hasText: 'Newspaper' })
  await row.getByRole('link', { name: 'Withdraw Newspaper' }).click()
  await picture(page, 'withdraw-desktop')
  await page.getByRole('button', { name: 'Withdraw all access' }).click()
  await page.getByText('Withdrawn. Newspaper is signed out everywhere').waitFor()
  expect(await page.getByRole('listitem').filter({ hasText: 'Newspaper' }).count()).toBe(0)
  await page.getByRole('link', { name: 'History' }).click()
  const told = page.getByRole('link', { name: /Newspaper.*Withdrawn/ })
  await told.waitFor()
})

test('given somebody new, when they make an account, then they are signed in and find what waits for them', async () => {
  const page = await open(phone)
  await page.goto(`${service.address}/payer/`)
  await page.getByRole('link', { name: 'New here? Make an account' }).click()
  await page.getByLabel('Full name').fill('Nina Ny')
  await page.getByLabel('Phone number').fill('+47 999 88 777')
  await page.getByLabel('PIN').fill('2468')
  await page.getByRole('button', { name: 'Show PIN' }).click()
  expect(await page.getByLabel('PIN').getAttribute('type')).toBe('text')
  await page.getByRole('button', { name: 'Hide PIN' }).click()
  await picture(page, 'sign-up-phone')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Code from the message').waitFor()
  await picture(page, 'sign-up-number-phone')
  const code = await codeSentTo(service, '4799988777')
  await page.getByLabel('Code from the message').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  const secret = await page.locator('code').innerText()
  await picture(page, 'sign-up-code-phone')
  const { href } = new URL(
    (await page.getByRole('link', { name: /^Open in/ }).getAttribute('href')) ?? '',
  )
  expect(href).toContain(`secret=${secret}`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy key' }).click()
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
  const { codeAt } = await import('../../infrastructure/people/one-time-codes.ts')
  await page.getByLabel('One-time code').fill(codeAt(secret, Date.now()))
  await page.getByRole('button', { name: 'Finish' }).click()
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
  await picture(page, 'sign-up-recovery-codes-phone')
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await page.getByText('Nothing is waiting for you.').waitFor()
  const { id } = await service.requestPayment({ customer: '+4799988777', amount: '80.00' })
  await page.locator(`a[href="/payer/payment/${id}"]`).waitFor()
  await picture(page, 'home-phone')
  await page.getByRole('link', { name: /Sandbox Shop/ }).click()
  await page.getByRole('button', { name: /^Reserve/ }).click()
  await page.locator('.state.good').waitFor()
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('link', { name: /Sandbox Shop/ }).waitFor()
  await picture(page, 'history-phone')
})

test('given long words, links and sums, when they are read on a narrow screen, then nothing is beside it and no number breaks', async () => {
  const page = await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true })
  const word = 'aeroplane_ticket_OSL_BGO_2026_11_with_luggage'
  const item = { product_id: word, quantity: 1 }
  const asked = (amount: string) =>
    service.requestPayment({
      customer: '4799999901',
      amount,
      text: `https://shop.example/${word}?${word}`,
      line_items: [{ ...item, item_cost: amount, total: amount }],
    })
  const [large, huge] = [await asked('15007.50'), await asked('99999999.99')]
  await page.goto(`${service.address}/payer/payment/${large.id}`)
  await signIn(page)
  const beside = () => page.evaluate('document.documentElement.scrollWidth - 360')
  await page.getByRole('button', { name: /^Reserve/ }).waitFor()
  await picture(page, 'large-narrow')
  expect(await beside()).toBe(0)
  const lines = 'getComputedStyle(document.querySelector(".amount"))'
  const height = `document.querySelector('.amount').clientHeight / parseFloat(${lines}.lineHeight)`
  expect(await page.evaluate(height)).toBeCloseTo(1, 1)
  for (const path of [`payment/${huge.id}`, '', 'history']) {
    await page.goto(`${service.address}/payer/${path}`)
    await picture(page, `narrow-${path.split('/')[0]}`)
    expect(await beside()).toBe(0)
  }
})

test('given a page on which nothing waits, when the shop asks, then it appears there by itself', async () => {
  const page = await open(phone)
  await page.goto(`${service.address}/payer/`)
  await signIn(page, 'bob')
  await page.getByText('Nothing is waiting for you.').waitFor()
  const { id } = await service.requestPayment({ customer: sandboxPayers.bob.phone })
  await page.locator(`a[href="/payer/payment/${id}"]`).waitFor()
})

test('given a browser without scripts, when the payer pays in the checkout, then it works all the same', async () => {
  const { id, uri } = await checkout({ additional_edit: true })
  const page = await open(phone, { javaScriptEnabled: false })
  await page.goto(uri ?? '')
  await page.getByRole('link', { name: 'Pay on this device' }).click()
  await signIn(page)
  await page.getByLabel('Extra (tip)').fill('10')
  await page.getByRole('button', { name: /^Reserve/ }).click()
  await page.getByRole('link', { name: 'Back to the shop' }).click()
  expect(page.url()).toBe(`${shopUrl}/thanks?order=1042`)
  expect((await service.outcome(id)).additional_amount).toBe('10.00')
})
