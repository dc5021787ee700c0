// @module-tag long
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { merchantClient } from '../../harness/merchant-client.ts'
import { codeAt } from '../../infrastructure/people/one-time-codes.ts'
import { wrongFields } from '../support/http-service.ts'
import {
  codeOf,
  codeSentTo,
  messagesTo,
  startPeopleService,
  type PeopleService,
} from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from './visitor.ts'
import { pkce } from './pkce.ts'

let service: PeopleService

beforeAll(async () => {
  service = await startPeopleService()
})

afterAll(() => service.stop())

const signedIn = async (payer: 'alice' | 'bob' = 'alice') => {
  const visitor = makeVisitor(service)
  await visitor.signIn(payer)
  return visitor
}

const forAlice = (fields: object = {}) =>
  service.requestPayment({ customer: '4799999901', ...fields })

const post = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body: new URLSearchParams(fields),
  headers,
})

test('given a request, when its payer accepts on the page with a tip, then it is paid and stands in the history', async () => {
  const { id } = await forAlice({ additional_edit: true, text: 'Lunch' })
  const alice = await signedIn()
  expect((await alice.visit('/payer/')).html).toContain(`/payer/payment/${id}`)
  const page = await alice.visit(`/payer/payment/${id}`)
  expect(page.html).toContain('Lunch')
  const wrong = await alice.submit(page, { additional_amount: 'ten', decision: 'accept' })
  expect(wrong).toMatchObject({ status: 400 })
  const { location } = await alice.submit(page, { additional_amount: '12,5', decision: 'accept' })
  expect(location).toBe(`/payer/payment/${id}`)
  expect(await service.outcome(id)).toMatchObject({ status: 'auth', additional_amount: '12.50' })
  expect((await alice.visit('/payer/')).html).not.toContain(id)
  expect((await alice.visit('/payer/history')).html).toContain(`/payer/payment/${id}`)
  expect((await alice.visit(`/payer/payment/${id}`)).html).toContain(
    'The shop will take what is delivered.',
  )
})

describe('given 100.00 and a tip that the payer may edit', () => {
  const given = async () => {
    const { id } = await forAlice({ additional_edit: true })
    const alice = await signedIn()
    const page = await alice.visit(`/payer/payment/${id}`)
    return { id, alice, page }
  }
  const accept = (amount: string) => ({ additional_amount: amount, decision: 'accept' })

  test('when it is more than the amount, then the page asks once more, for that tip and no other', async () => {
    const { id, alice, page } = await given()
    const asked = await alice.submit(page, accept('150,00'))
    expect(asked).toMatchObject({ status: 400 })
    expect(asked.html).toContain('The extra is more than the amount itself.')
    expect(await service.outcome(id)).toMatchObject({ status: 'pending' })
    const another = await alice.submit(asked, accept('250'))
    expect(another.html).toContain('The extra is more than the amount itself.')
    const { status } = await alice.submit(another, { decision: 'accept' })
    expect(status).toBe(303)
    expect(await service.outcome(id)).toMatchObject({ status: 'auth', additional_amount: '250.00' })
  })

  test('when it is more than ten times the amount, then it is refused, however often it is sent', async () => {
    const { id, alice, page } = await given()
    const refused = await alice.submit(page, accept('1000.01'))
    expect(refused).toMatchObject({ status: 400 })
    expect(refused.html).toContain('The extra can be at most ten times the amount.')
    expect(await alice.submit(refused, { decision: 'accept' })).toMatchObject({ status: 400 })
    expect(await service.outcome(id)).toMatchObject({ status: 'pending' })
    await alice.submit(refused, { decision: 'decline' })
  })
})

/** The text of a page, without tags. */
const textOf = (html: string): string =>
  html
    .replace(/^[^]*<main>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')

describe('given a payment of which the shop has taken a part, its payer reads what was paid', () => {
  const adminClient = async () => {
    const path = join(service.folder, 'sandbox-admin-key.pem')
    const key = createPrivateKey(readFileSync(path, 'utf8'))
    return merchantClient(service.address, { merchant: 'sandbox', user: 'admin', key })
  }

  const capturedInPart = async () => {
    const { id } = await forAlice()
    const alice = await signedIn()
    await alice.submit(await alice.visit(`/payer/payment/${id}`), { decision: 'accept' })
    const owner = await adminClient()
    const change = async (body: object) => {
      const { status } = await owner('PUT', `/merchant/v1/payment_request/${id}/`, body)
      expect(status).toBe(204)
    }
    const money = { currency: 'NOK', amount: '30.00' }
    await change({ action: 'capture', capture_id: 'one', ...money })
    const read = async () => {
      const alice = await signedIn()
      const history = textOf((await alice.visit('/payer/history')).html)
      return {
        page: textOf((await alice.visit(`/payer/payment/${id}`)).html),
        last: history.slice(0, history.indexOf('NOK') + 10),
      }
    }
    return { change, read, money }
  }

  test('when the rest is open, and when its time is over', async () => {
    const { read } = await capturedInPart()
    const open = await read()
    expect(open.page).toMatch(/Paid in part The shop may still collect the rest\..* NOK 30\.00/)
    expect(open.last).toMatch(/Paid in part NOK 30\.00/)
    await service.advance(30 * 86_400)
    const over = await read()
    expect(over.page).toMatch(
      /Paid in part The shop did not collect the rest in time\..*NOK 30\.00/,
    )
    expect(over.page).toMatch(/Receipt .* Paid NOK 30\.00 Not collected NOK 70\.00/)
    expect(over.page).not.toContain('Not paid')
    expect(over.last).toMatch(/Paid in part NOK 30\.00/)
  })

  test('when the rest is released and some is given back', async () => {
    const { change, read, money } = await capturedInPart()
    await change({ action: 'release' })
    await change({ action: 'refund', refund_id: 'one', ...money, amount: '10.00', text: 'Sorry' })
    const { page, last } = await read()
    expect(page).toMatch(
      / Partly refunded .* NOK 30\.00 .*Receipt .* Reserved NOK 100\.00 Paid NOK 30\.00 Not collected NOK 70\.00 Refunded .* −NOK 10\.00/,
    )
    expect(page).not.toMatch(/Refunded in all/)
    expect(last).toMatch(/· Partly refunded −NOK/)
  })

  test('and items with rates: their VAT, of what is left after refunds where it can be told', async () => {
    const owner = await adminClient()
    const itemOf = (product_id: string, total: string, vat_rate: string) => {
      return { product_id, quantity: 1, item_cost: total, total, vat_rate }
    }
    const named: boolean[] = []
    const bought = async (line_items: object[], ...refunds: readonly string[]) => {
      const { id } = await forAlice({ action: 'sale', line_items })
      const alice = await signedIn()
      await alice.submit(await alice.visit(`/payer/payment/${id}`), { decision: 'accept' })
      const change = (body: object) => owner('PUT', `/merchant/v1/payment_request/${id}/`, body)
      expect(await change({ action: 'capture' })).toMatchObject({ status: 204 })
      for (const amount of refunds) {
        const refund = { action: 'refund', refund_id: amount, currency: 'NOK', amount }
        expect(await change({ ...refund, text: 'Sorry' })).toMatchObject({ status: 204 })
      }
      const page = textOf((await alice.visit(`/payer/payment/${id}`)).html)
      named.push(page.includes('VAT is that of all items, before'))
      return /VAT .*(?= Reference)/.exec(page)?.[0]
    }
    const one = [itemOf('cup', '75.00', '25'), itemOf('bowl', '25.00', '25')]
    expect(await bought(one)).toBe('VAT 25% of NOK 80.00 NOK 20.00')
    expect(await bought(one, '50.00')).toBe('VAT 25% of NOK 40.00 NOK 10.00')
    expect(await bought(one, '100.00')).toBeUndefined()
    const two = [itemOf('cup', '77.00', '25'), itemOf('bun', '23.00', '15')]
    const all = 'VAT 25% of NOK 61.60 NOK 15.40 VAT 15% of NOK 20.00 NOK 3.00'
    expect(await bought(two)).toBe(all)
    expect(await bought(two, '23.00')).toBe(all)
    expect(await bought(two, '23.00', '1.00')).toBe(all)
    expect(named).toEqual([false, false, false, false, true, true])
  })

  test.each(['sale', 'auth'])(
    'a %s is dated by when it was accepted, its refunds by when each was made',
    async (action) => {
      const { id } = await forAlice({ action })
      const alice = await signedIn()
      await alice.submit(await alice.visit(`/payer/payment/${id}`), { decision: 'accept' })
      const timeIn = async (type: string) =>
        (await service.events())
          .filter((event) => event.type === type && event.stream === `payment-${id}`)
          .map(({ metadata }) => new Date(Number(metadata['at'])).toISOString())
      await service.advance(60)
      const owner = await adminClient()
      const change = (body: object) => owner('PUT', `/merchant/v1/payment_request/${id}/`, body)
      await change({ action: 'capture' })
      const timesOf = ({ html }: Shown) =>
        [...html.matchAll(/<time datetime="([^"]*)"/g)].map(([, time]) => time)
      const paid = await alice.visit(`/payer/payment/${id}`)
      expect(paid.html).toContain('class="state good"')
      const accepted = await timeIn('PaymentAuthorized')
      expect(timesOf(paid)).toEqual(accepted)
      for (const refund_id of ['one', 'two']) {
        await service.advance(60)
        const refund = { action: 'refund', refund_id, currency: 'NOK', amount: '50.00' }
        expect(await change({ ...refund, text: 'Sorry' })).toMatchObject({ status: 204 })
        const page = await alice.visit(`/payer/payment/${id}`)
        expect(page.html).toContain('class="state "')
        expect(timesOf(page)).toEqual([...accepted, ...(await timeIn('PaymentRefunded'))])
        const [newest = ''] = (await alice.visit('/payer/history')).html.split('</li>')
        const state = refund_id === 'one' ? 'Partly refunded −NOK 50.00' : 'Refunded −NOK 100.00'
        expect(textOf(newest)).toContain(`UTC · ${state} NOK 100.00`)
        expect(timesOf({ html: newest } as Shown)).toEqual(accepted)
      }
      const receipt = textOf((await alice.visit(`/payer/payment/${id}`)).html)
      expect(receipt).toMatch(/^ Refunded .* Paid NOK 100\.00 Refunded .* −NOK 50\.00 Refunded /)
      expect(receipt).not.toContain('Reserved')
      expect(receipt).toContain('Refunded in all −NOK 100.00')
    },
  )

  test('and there is no receipt for a failed one', async () => {
    const { id } = await forAlice()
    const alice = await signedIn()
    await alice.submit(await alice.visit(`/payer/payment/${id}`), { decision: 'decline' })
    const page = textOf((await alice.visit(`/payer/payment/${id}`)).html)
    expect(page).toMatch(/Not paid You declined\. .*NOK 100\.00/)
    expect(page).not.toContain('Receipt')
  })
})

test('given a tip that may be typed, when there is no script, then the button names no sum that would not follow it', async () => {
  const alice = await signedIn()
  const button = async (fields: object) => {
    const { id } = await forAlice(fields)
    const { html } = await alice.visit(`/payer/payment/${id}`)
    return textOf(
      /<button name="decision" value="accept">[^]*?<\/button>/.exec(html)?.[0] ?? '',
    ).trim()
  }
  expect(await button({ additional_edit: true })).toBe('Reserve')
  expect(await button({})).toBe('Reserve NOK 100.00')
})

test('given a page that is not there, when it is read in Norwegian, then it says so in Norwegian, and what to do', async () => {
  const visitor = makeVisitor(service, 'nb')
  const { status, html } = await visitor.visit('/payer/checkout/0123456789')
  expect([status, html.includes('be butikken om en ny')]).toEqual([404, true])
  expect(html).not.toContain('resource')
})

test('given what cannot be an account, when it is sent, then the page says what is wrong, and keeps what was typed', async () => {
  const visitor = makeVisitor(service)
  const empty = await visitor.visit('/payer/sign-up')
  const send = (fields: object) =>
    visitor.submit(empty, { phone: '4740000011', name: 'Kari', pin: '1234', ...fields })
  const wrong = { phone: '123', name: '', pin: '1' }
  const problems = {
    phone: 'The phone number is not complete.',
    name: 'Type your name, on one line.',
    pin: 'The PIN must have',
  }
  for (const field of ['phone', 'name', 'pin'] as const) {
    const { status, html } = await send({ [field]: wrong[field] })
    expect([status, html.includes(problems[field])]).toEqual([400, true])
    const fields = new Map(formIn(html, 'phone').fields)
    expect(fields.get('phone')).toBe(field === 'phone' ? '123' : '4740000011')
    expect(fields.get('name')).toBe(field === 'name' ? '' : 'Kari')
    expect(fields.get('pin')).toBe('')
  }
  const signIn = await visitor.visit('/payer/sign-in')
  const again = await visitor.submit(signIn, { phone: '4740000012', pin: '9999' })
  expect(new Map(formIn(again.html, 'phone').fields).get('phone')).toBe('+4740000012')
})

test('given mistakes in several fields, when an account is made, then each is shown beside its field at once', async () => {
  const visitor = makeVisitor(service)
  const empty = await visitor.visit('/payer/sign-up')
  const { html } = await visitor.submit(empty, { phone: '123', name: '', pin: '1' })
  for (const [field, says] of [
    ['name', 'Type your name, on one line.'],
    ['phone', 'The phone number is not complete.'],
    ['pin', 'The PIN must have 4 to 12 digits.'],
  ] as const) {
    const input = new RegExp(`<input[^>]* name="${field}"[^>]*>`).exec(html)?.[0] ?? ''
    expect(input).toMatch(new RegExp(`aria-invalid="true" aria-describedby="${field}-problem`))
    expect(html).toMatch(new RegExp(`id="${field}-problem"[^>]*>\\s*${says}`))
  }
})

test('given a mistake elsewhere, when it is mended, then the PIN need not be typed again', async () => {
  const visitor = makeVisitor(service)
  const empty = await visitor.visit('/payer/sign-up')
  const again = await visitor.submit(empty, { phone: '123', name: 'Kari', pin: '1357' })
  expect(again.status).toBe(400)
  expect(again.html).toContain('Your PIN is kept')
  expect(again.html).not.toContain('1357')
  const number = await visitor.submit(again, { phone: '4740000066' })
  expect([number.status, number.html.includes('Confirm your number')]).toEqual([200, true])
  const stranger = makeVisitor(service)
  const page = await stranger.visit('/payer/sign-up')
  const kept = new Map(formIn(again.html, 'phone').fields).get('kept_pin') ?? ''
  const stolen = { phone: '4740000067', name: 'Kari', kept_pin: kept }
  expect((await stranger.submit(page, stolen)).status).toBe(400)
})

test('given no script that could show a PIN, when it is typed twice and differs, then no account is begun', async () => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit('/payer/sign-up')
  expect(page.html).toMatch(/<noscript>[^]*name="pin_again"[^]*<\/noscript>/)
  const typed = { phone: '4740000068', name: 'Kari', pin: '1357', pin_again: '1375' }
  const { status, html } = await visitor.submit(page, typed)
  expect([status, html.includes('The two PINs differ.')]).toEqual([400, true])
})

test('given a new account, when its authenticator is to be connected, then the page says what that is and opens it', async () => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit('/payer/sign-up')
  const { html } = await visitor.proveNumberAt(page, { phone: '4740000069' })
  expect(html).toContain('An authenticator is an app on your phone')
  expect(html).toMatch(/href="otpauth:[^"]*"[^>]*>Open in authenticator app/)
  expect(html).toMatch(/<code id="key">\w+<\/code>\s*<button[^>]*data-copy="key"/)
})

test('given a registration that took too long, when its code comes, then the page says so and begins again', async () => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit('/payer/sign-up')
  const code = await visitor.proveNumberAt(page, { phone: '4740000070' })
  await service.advance(900)
  const { status, html } = await visitor.submit(code, { code: '123456' })
  expect([status, html.includes('It took too long')]).toEqual([400, true])
  expect(formIn(html, 'phone').action).toContain('/payer/sign-up')
})

test('given the forms of signing in and up, when a browser fills them in, then each field names what it is for (WCAG 2.1, 1.3.5)', async () => {
  const purposesIn = ({ html }: Shown) =>
    [...html.matchAll(/<input[^>]* name="(\w+)"[^>]*>/g)].flatMap(([input, name = '']) =>
      /type="hidden"/.test(input) ? [] : [[name, / autocomplete="([^"]*)"/.exec(input)?.[1]]],
    )
  const visitor = makeVisitor(service)
  const signIn = await visitor.visit('/payer/sign-in')
  const code = await visitor.submit(signIn, { phone: '4799999901', pin: '1234' })
  const signUp = await visitor.visit('/payer/sign-up')
  const person = { phone: '4740000077', name: 'Anna Auto', pin: '2468' }
  const number = await visitor.submit(signUp, person)
  const newCode = await visitor.proveNumberAt(signUp, person)
  expect([signIn, code, signUp, number, newCode].map(purposesIn)).toEqual([
    [
      ['phone', 'username'],
      ['pin', 'current-password'],
    ],
    [
      ['code', 'one-time-code'],
      ['recovery_code', 'off'],
    ],
    [
      ['name', 'name'],
      ['phone', 'tel'],
      ['pin', 'new-password'],
      ['pin_again', 'new-password'],
    ],
    [['number_code', 'one-time-code']],
    [['code', 'one-time-code']],
  ])
})

test('given a tip that the merchant does not allow, when it is sent all the same, then it is refused', async () => {
  const { id } = await forAlice()
  const alice = await signedIn()
  const page = await alice.visit(`/payer/payment/${id}`)
  const csrf = formIn(page.html, 'decision').fields[0]?.[1] ?? ''
  const given = { csrf, decision: 'accept', additional_amount: '5' }
  expect((await alice.visit(`/payer/payment/${id}`, post(given))).status).toBe(400)
  expect((await service.outcome(id)).status).toBe('pending')
})

test('given a request for one payer, when another looks at it, then there is none', async () => {
  const { id } = await forAlice()
  const bob = await signedIn('bob')
  expect((await bob.visit(`/payer/payment/${id}`)).status).toBe(404)
  // The checkout portal is only for requests without a customer.
  expect((await makeVisitor(service).visit(`/payer/checkout/${id}`)).status).toBe(404)
})

test('given a permission request, when its payer ticks off a part, then only the rest is granted, and can be withdrawn', async () => {
  const asked = await service.call('POST', '/merchant/v1/permission_request/', {
    pos_id: 'till-1',
    pos_tid: 'page',
    customer: '4799999901',
    scope: 'openid profile phone',
  })
  const { id } = asked.body
  const alice = await signedIn()
  const page = await alice.visit(`/payer/permission/${id}`)
  await alice.submit(page, { scope: ['openid', 'phone'], decision: 'allow' })
  const outcome = () => service.call('GET', `/merchant/v1/permission_request/${id}/outcome/`)
  expect((await outcome()).body.scope).toBe('openid phone')
  const list = await alice.visit('/payer/permissions')
  expect(textOf(list.html)).toMatch(
    /That it is you, each time you come back Your phone number \+4799999901/,
  )
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(list.html) ?? []
  const after = await alice.follow(await alice.withdraw('sandbox'))
  expect(after.html).toContain('Withdrawn.')
  expect(after.html).not.toContain('?withdraw=')
  expect((await outcome()).body.access_token).toBeNull()
  const stolen = { csrf, grant: 'nobody' }
  expect((await alice.visit('/payer/permissions', post(stolen))).status).toBe(404)
})

test('given a form from elsewhere, when it is sent, then it is refused', async () => {
  const { id } = await forAlice()
  const alice = await signedIn()
  const path = `/payer/payment/${id}`
  const page = await alice.visit(path)
  const csrf = formIn(page.html, 'decision').fields.find(([name]) => name === 'csrf')?.[1] ?? ''
  const decision = { decision: 'accept' }
  expect((await alice.visit(path, post(decision))).status).toBe(403)
  expect((await alice.visit(path, post({ ...decision, csrf: 'x' }))).status).toBe(403)
  for (const site of ['cross-site', 'same-site']) {
    const foreign = { 'Sec-Fetch-Site': site }
    expect((await alice.visit(path, post({ ...decision, csrf }, foreign))).status).toBe(403)
  }
  const another = await (await signedIn()).visit(path)
  const theirs =
    formIn(another.html, 'decision').fields.find(([name]) => name === 'csrf')?.[1] ?? ''
  expect((await alice.visit(path, post({ ...decision, csrf: theirs }))).status).toBe(403)
  expect((await service.outcome(id)).status).toBe('pending')
  // Signing somebody in or out from another site is refused as well.
  const nobody = makeVisitor(service)
  const given = { phone: '4799999901', pin: '1234' }
  expect((await nobody.visit('/payer/sign-in', post(given))).status).toBe(403)
  expect((await alice.visit('/payer/sign-out', post({}))).status).toBe(403)
  expect((await alice.visit(path, post({ ...decision, csrf }))).status).toBe(303)
})

test('given any page, when it is answered, then nobody can frame it, run scripts in it or keep it', async () => {
  const alice = await signedIn()
  const { uri } = await service.requestPayment({
    success_return_uri: 'https://shop.example/thanks',
    failure_return_uri: 'https://shop.example/sorry',
    text: '<script>alert(1)</script>"\'',
  })
  const pages = ['/payer/', '/payer/history', '/payer/permissions', '/payer/scan', '/oauth2/error']
  for (const path of [...pages, uri ?? '']) {
    const { headers, html } = await alice.visit(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(html).not.toContain('<script>alert')
    expect(html).not.toMatch(/\son[a-z]+=|style="/)
  }
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  '/payer//..//evil.example\\',
  'javascript:alert(1)',
  '/merchant/v1/pos/',
  '/payer/../merchant/v1/pos/',
  '/portal/%2e%2E//evil.example/',
])('given next=%s, when the payer has signed in, then they stay in the service', async (next) => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit(`/payer/sign-in?next=${encodeURIComponent(next)}`)
  expect((await visitor.signInAt(page, 'alice')).location).toBe('/payer/')
})

test('given a page that needs a payer, when somebody else comes, then they sign in and come back to it', async () => {
  const { id } = await forAlice()
  const visitor = makeVisitor(service)
  const page = await visitor.follow(await visitor.visit(`/payer/payment/${id}`))
  const { location } = await visitor.signInAt(page, 'alice')
  expect(location).toBe(`/payer/payment/${id}`)
})

test('given a session, when the payer signs out, then its cookie is worth nothing', async () => {
  const alice = await signedIn()
  const kept = new Map(alice.cookies)
  const page = await alice.visit('/payer/')
  await alice.submit(page, { csrf: formIn(page.html, 'csrf').fields[0]?.[1] ?? '' })
  const thief = makeVisitor(service)
  for (const [name, value] of kept) thief.cookies.set(name, value)
  expect((await thief.visit('/payer/')).location).toContain('/payer/sign-in')
})

test('given a session that is over while a payment is on the screen, when the payer presses pay and signs in, then they are back at that payment, and at its checkout', async () => {
  const { id } = await service.requestPayment({
    success_return_uri: 'https://shop.example/thanks',
    failure_return_uri: 'https://shop.example/sorry',
  })
  const alice = await signedIn()
  const path = `/payer/payment/${id}?checkout`
  const page = await alice.visit(path)
  alice.cookies.delete('daybook-session')
  const { location } = await alice.submit(page, { decision: 'accept' })
  expect(location).toBe(`/payer/sign-in?next=${encodeURIComponent(path)}`)
  const back = await alice.signInAt(await alice.visit(location ?? ''), 'alice')
  expect(back.location).toBe(path)
  const again = await alice.submit(await alice.visit(path), { decision: 'accept' })
  expect(again.location).toBe(`/payer/checkout/${id}`)
})

test('given a page that is still open, when the payer has signed out in another tab and signs out there, too, then they are out', async () => {
  const alice = await signedIn()
  const { html } = await alice.visit('/payer/')
  const csrf = formIn(html, 'csrf').fields[0]?.[1] ?? ''
  for (const _ of ['one tab', 'another'])
    expect(await alice.visit('/payer/sign-out', post({ csrf }))).toMatchObject({
      status: 303,
      location: '/payer/sign-in',
    })
})

test.each(['sign-in', 'sign-up', 'sign-out'])(
  'given a payer, when another site sends the form for %s, which comes without cookies, then theirs stay',
  async (form) => {
    const stranger = makeVisitor(service)
    const { headers } = await stranger.visit(`/payer/${form}`, post({}))
    expect(headers.getSetCookie()).toEqual([])
  },
)

test.each(['+47 999 99 901', '0047 99999901', '+47 (999) 99.901', '47\u00a0999\u00a099\u00a0901'])(
  'given a phone number that is typed as %s, when the payer signs in with it or makes an account, then it is theirs',
  async (phone) => {
    const visitor = makeVisitor(service)
    const code = await visitor.submit(await visitor.visit('/payer/sign-in'), { phone, pin: '1234' })
    expect(code.html).toContain('name="code"')
    const person = { phone, name: 'Not Alice', pin: '2468' }
    await visitor.submit(await visitor.visit('/payer/sign-up'), person)
    const [message] = await messagesTo(service, '4799999901')
    expect(message?.text).toContain('This number has an account already')
  },
)

test('given sessions in a browser and in an app, when their twelve hours are over, then both are, and not a minute before', async () => {
  const alice = await signedIn()
  const who = { phone: '4799999901', pin: '1234', code: codeOf('alice') }
  const { token } = (await service.call('POST', '/payer/v1/session/', who, {})).body
  const Authorization = `Bearer ${token}`
  const reads = async () => [
    (await alice.visit('/payer/')).location,
    (await service.call('GET', '/payer/v1/profile/', undefined, { Authorization })).status,
  ]
  // Used occasionally, because an idle session ends earlier.
  for (let step = 0; step < 24; step += 1) {
    await service.advance(1740)
    expect(await reads()).toEqual([null, 200])
  }
  await service.advance(1380)
  expect(await reads()).toEqual([null, 200])
  await service.advance(60)
  expect(await reads()).toEqual(['/payer/sign-in?next=%2Fpayer%2F', 401])
})

describe('given the right phone number and PIN, when the code follows', () => {
  const afterPin = async () => {
    const visitor = makeVisitor(service)
    const first = await visitor.visit('/payer/sign-in')
    const page = await visitor.submit(first, { phone: '4799999901', pin: '1234' })
    const fields = Object.fromEntries(formIn(page.html, 'code').fields)
    return { visitor, page, challenge: fields['challenge'] ?? '' }
  }
  /** Whether the page asks for phone number and PIN again, without a session. */
  const hasBegunAnew = ({ html, location }: Shown, { cookies }: TestVisitor) =>
    location === null && html.includes('name="pin"') && !cookies.has('daybook-session')

  test('from another browser, then it starts over there, and continues in its own', async () => {
    const { visitor, page, challenge } = await afterPin()
    const thief = makeVisitor(service)
    const first = await thief.visit('/payer/sign-in')
    const csrf = formIn(first.html, 'pin').fields[0]?.[1] ?? ''
    const code = codeOf('alice')
    const stolen = await thief.visit('/payer/sign-in', post({ csrf, challenge, code }))
    expect(hasBegunAnew(stolen, thief)).toBe(true)
    expect((await visitor.submit(page, { code })).location).toBe('/payer/')
  })

  test('after five minutes, then it begins anew, and a little before it signs in', async () => {
    const [late, timely] = [await afterPin(), await afterPin()]
    await service.advance(270)
    const inTime = await timely.visitor.submit(timely.page, { code: codeOf('alice') })
    expect(inTime.location).toBe('/payer/')
    await service.advance(30)
    const tooLate = await late.visitor.submit(late.page, { code: codeOf('alice') })
    expect(hasBegunAnew(tooLate, late.visitor)).toBe(true)
  })
})

test('given cookies, when they are set, then scripts and other sites do not get them', async () => {
  const visitor = makeVisitor(service)
  const page = await visitor.visit('/payer/sign-in')
  const signedIn = await visitor.signInAt(page, 'alice')
  for (const { headers } of [page, signedIn])
    for (const cookie of headers.getSetCookie()) {
      expect(cookie).toContain('; HttpOnly')
      expect(cookie).toContain('; SameSite=Lax')
    }
})

test('given production, when cookies are set, then they come over https only and from this very host', async () => {
  const production = await startPeopleService({
    MODE: 'production',
    PUBLIC_URL: 'https://pay.example',
  })
  const { headers } = await makeVisitor(production).visit('/payer/sign-in')
  await production.stop()
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-daybook-login=.*; Secure$/),
  ])
  expect(headers.get('strict-transport-security')).toContain('max-age')
})

test.each([
  ['production', 'https://pay.example', 401],
  ['sandbox', 'http://127.0.0.1', 201],
])(
  'given %s, when a code is used a second time, then the answer is what that mode says',
  async (MODE, PUBLIC_URL, second) => {
    const other = await startPeopleService({ MODE, PUBLIC_URL })
    onTestFinished(other.stop)
    const added = await other.operator('payer', 'add', '4740000009', '--name', 'K', '--pin', '4711')
    const code = codeAt(added['totp_secret'] ?? '', Date.now())
    const signIn = () =>
      other.call('POST', '/payer/v1/session/', { phone: '4740000009', pin: '4711', code }, {})
    expect((await signIn()).status).toBe(201)
    expect((await signIn()).status).toBe(second)
  },
)

test('given guesses, when there are too many, then payers and strangers are locked out alike, and right PINs with them', async () => {
  await service.operator('payer', 'add', '4740000001', '--name', 'G', '--pin', '1793')
  const guess = async (phone: string, pin: string) => {
    const visitor = makeVisitor(service)
    const page = await visitor.submit(await visitor.visit('/payer/sign-in'), { phone, pin })
    expect(page.status === 429).toBe(page.html.includes('Too many'))
    const wait = Number(page.headers.get('retry-after'))
    expect(page.status === 429).toBe(wait > 0 && wait <= 30)
    return /role="alert">([^<]*)/.exec(page.html)?.[1]?.trim()
  }
  const series = async (phone: string) => {
    const answers = []
    for (const pin of ['0000', '0001', '0002', '0003', '1793'])
      answers.push(await guess(phone, pin))
    return answers
  }
  const known = await series('4740000001')
  expect(known).toEqual(await series('4740000002'))
  expect(new Set(known.slice(0, 3))).toEqual(new Set(['The phone number or the PIN is wrong.']))
  for (const answer of known.slice(3)) expect(answer).toBe('Too many failed attempts. Try again at')
  await service.advance(30)
  expect(await guess('4740000001', '1793')).toBeUndefined()
})

test('given guesses at the same time, when there are too many, then payers and strangers are locked out alike', async () => {
  await service.operator('payer', 'add', '4740000005', '--name', 'G', '--pin', '1793')
  const wrongOnes = async (phone: string) => {
    const guesses = Array.from({ length: 20 }, (_, index) => {
      const who = { phone, pin: `20${10 + index}`, code: '000000' }
      return service.call('POST', '/payer/v1/session/', who, {})
    })
    return (await Promise.all(guesses)).filter(({ status }) => status === 401).length
  }
  expect(await wrongOnes('4740000005')).toBe(3)
  expect(await wrongOnes('4740000006')).toBe(3)
  for (const phone of ['4740000005', '4740000006']) {
    const who = { phone, pin: '1793', code: '000000' }
    const { status, headers } = await service.call('POST', '/payer/v1/session/', who, {})
    const wait = Number(headers.get('retry-after'))
    expect([status, wait > 0, wait <= 30]).toEqual([429, true, true])
  }
})

test(
  'given a live page, when only its headers are requested, then nothing stays open',
  { tags: 'long' },
  async () => {
    const uri = 'https://shop.example/'
    const { id } = await service.requestPayment({
      success_return_uri: uri,
      failure_return_uri: uri,
    })
    const path = `/payer/checkout/${id}/events`
    // The maximum number of followers.
    for (let count = 0; count < 5000; count += 1)
      expect((await service.app.request(path, { method: 'HEAD' })).status).toBe(200)
    const stop = new AbortController()
    expect((await fetch(service.address + path, { signal: stop.signal })).status).toBe(200)
    stop.abort()
  },
)

test('given an app, when it signs somebody up and in, then it can answer, read and withdraw as the pages can', async () => {
  const api = (method: string, path: string, body?: unknown, token = '') =>
    service.call(method, `/payer/v1${path}`, body, { Authorization: `Bearer ${token}` })
  const person = { phone: '+47 400 00 003', name: 'Ada App', pin: '2580' }
  const begun = await api('POST', '/sign_up/', person)
  const { registration, totp_secret: secret } = begun.body
  const code = codeAt(secret, Date.now())
  const codes = { number_code: await codeSentTo(service, person.phone), code }
  for (const [name, value] of Object.entries(codes)) {
    const other = value === '000000' ? '000001' : '000000'
    const bad = await api('POST', '/payer/', { registration, ...codes, [name]: other })
    expect([bad.status, Object.keys(bad.body.error_details)]).toEqual([400, [name]])
  }
  const made = await api('POST', '/payer/', { registration, ...codes })
  expect([made.status, made.body.recovery_codes.length]).toEqual([201, 10])

  expect((await api('GET', '/request/')).status).toBe(401)
  const { phone, pin } = person
  expect((await api('POST', '/session/', { phone, pin: '0000', code })).status).toBe(401)
  const session = await api('POST', '/session/', { phone, pin, code })
  expect(session.status).toBe(201)
  const { token } = session.body
  await api('PUT', '/profile/', { name: 'Ada Applied' }, token)
  expect((await api('GET', '/profile/', undefined, token)).body).toMatchObject({
    name: 'Ada Applied',
    phone: '4740000003',
  })

  const payment = await service.requestPayment({ customer: '4740000003', additional_edit: true })
  const permission = await service.call('POST', '/merchant/v1/permission_request/', {
    pos_id: 'till-1',
    pos_tid: 'api',
    customer: '4740000003',
    scope: 'openid profile',
  })
  const paymentPath = `/payment_request/${payment.id}/`
  const permissionPath = `/permission_request/${permission.body.id}/`
  const { uris } = (await api('GET', '/request/', undefined, token)).body
  expect(uris).toEqual([`/payer/v1${permissionPath}`, `/payer/v1${paymentPath}`])
  expect((await api('GET', paymentPath, undefined, token)).body).toMatchObject({
    merchant: 'Sandbox Shop',
    amount: '100.00',
    status: 'pending',
  })
  const acceptWith = (body: object) => api('POST', `${paymentPath}accept/`, body, token)
  expect(await acceptWith({ additional_amount: '100.01' })).toMatchObject(wrongFields('confirmed'))
  const tooMuch = { additional_amount: '1000.01', confirmed: true }
  expect(await acceptWith(tooMuch)).toMatchObject(wrongFields('additional_amount'))
  const accept = await acceptWith({ additional_amount: '100.01', confirmed: true })
  expect(accept.status).toBe(204)
  expect(await service.outcome(payment.id)).toMatchObject({ additional_amount: '100.01' })
  expect((await api('POST', `${paymentPath}decline/`, {}, token)).status).toBe(409)
  expect((await api('POST', `${permissionPath}accept/`, {}, token)).status).toBe(204)
  expect((await api('GET', permissionPath, undefined, token)).body.granted_scope).toBe(
    'openid profile',
  )
  expect((await api('GET', '/history/', undefined, token)).body.uris).toHaveLength(2)
  const empty = await api('GET', '/history/?next=', undefined, token)
  expect([empty.status, empty.body.uris?.length]).toEqual([200, 2])
  const { permissions } = (await api('GET', '/permission/', undefined, token)).body
  expect(permissions).toMatchObject([{ merchant: 'Sandbox Shop', scope: 'openid profile' }])
  const withdrawn = await api('DELETE', `/permission/${permissions[0].id}/`, undefined, token)
  expect(withdrawn.status).toBe(204)
  expect((await api('GET', '/permission/', undefined, token)).body.permissions).toEqual([])

  const scan = (text: string) => api('POST', '/scan/', { text }, token)
  const path = `/payer/payment/${payment.id}`
  expect((await scan(service.address + path)).body).toEqual({ uri: path })
  expect((await scan('https://evil.example/payer/payment/x')).status).toBe(404)
  expect((await api('DELETE', '/session/', undefined, token)).status).toBe(204)
  expect((await api('GET', '/request/', undefined, token)).status).toBe(401)
})

test(
  'given as many answers as a page holds, when the history is read, then no page follows, and with one more there is one',
  { tags: 'long' },
  async () => {
    const phone = '4740000055'
    const added = await service.operator('payer', 'add', phone, '--name', 'H', '--pin', '1793')
    const code = () => codeAt(added['totp_secret'] ?? '', Date.now())
    const browser = makeVisitor(service)
    const pin = await browser.submit(await browser.visit('/payer/sign-in'), { phone, pin: '1793' })
    await browser.submit(pin, { code: code() })
    const who = { phone, pin: '1793', code: code() }
    const { token } = (await service.call('POST', '/payer/v1/session/', who, {})).body
    const api = (method: string, path: string) =>
      service.call(method, path, method === 'GET' ? undefined : {}, {
        Authorization: `Bearer ${token}`,
      })
    const decline = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        const { id } = await service.requestPayment({ customer: phone })
        await api('POST', `/payer/v1/payment_request/${id}/decline/`)
      }
    }
    const moreOnPage = async () => {
      const { html } = await browser.visit('/payer/history')
      return /href="(\/payer\/history\?before=\d+)"/.exec(html)?.[1]
    }
    const list = async (path = '/payer/v1/history/') => (await api('GET', path)).body
    await decline(50)
    expect(await moreOnPage()).toBeUndefined()
    await decline(1)
    const { html } = await browser.visit((await moreOnPage()) ?? '')
    expect(html.match(/\/payer\/payment\//g)).toHaveLength(1)
    await decline(49)
    const { uris, next } = await list()
    expect([uris.length, next]).toEqual([100, null])
    await decline(1)
    const first = await list()
    expect(await list(first.next)).toEqual({ uris: [uris.at(-1)], next: null })
  },
)

test('given a payer who is erased, when their sessions and tokens are used, then they are over', async () => {
  const added = await service.operator('payer', 'add', '4740000004', '--name', 'E', '--pin', '1793')
  const secret = added['totp_secret'] ?? ''
  const visitor = makeVisitor(service)
  const code = await visitor.submit(await visitor.visit('/payer/sign-in'), {
    phone: '4740000004',
    pin: '1793',
  })
  await visitor.submit(code, { code: codeAt(secret, Date.now()) })
  expect((await visitor.visit('/payer/')).status).toBe(200)
  const asked = await service.call('POST', '/merchant/v1/permission_request/', {
    pos_id: 'till-1',
    pos_tid: 'erased',
    customer: '4740000004',
    scope: 'openid profile',
  })
  await service.call('POST', `/sandbox/v1/permission_request/${asked.body.id}/accept/`, {})
  const path = `/merchant/v1/permission_request/${asked.body.id}/outcome/`
  const { access_token: token } = (await service.call('GET', path)).body
  const userInfo = () =>
    service.call('GET', '/oauth2/v1/userinfo', undefined, { Authorization: `Bearer ${token}` })
  expect((await userInfo()).body.name).toBe('E')
  await service.operator('payer', 'erase', '4740000004')
  expect((await visitor.visit('/payer/')).location).toContain('/payer/sign-in')
  expect((await userInfo()).status).toBe(401)
})

test('given a code on one screen, when another browser tries to go on with it, then it cannot', async () => {
  const app = await service.operator(
    ...['app', 'add', 'sandbox', '--name', 'Shop', '--redirect-uri', 'https://shop.example/cb'],
  )
  const asked = { response_type: 'code', client_id: app['client_id'] ?? '', scope: 'openid' }
  const query = new URLSearchParams({ ...asked, ...pkce.challenge }).toString()
  const computer = makeVisitor(service)
  const page = await computer.visit(`/oauth2/auth?${query}`)
  const { action } = formIn(page.html.slice(page.html.indexOf('data-continue') - 200), 'csrf')
  const src = /<img\s+src="([^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const image = await computer.visit(src, { headers: { Accept: 'image/*' } })
  expect(image.headers.get('content-type')).toContain('image/svg+xml')
  const cookie = [...computer.cookies.values()][0] ?? ''
  expect(image.html).not.toContain(cookie)
  // Alice's browser knows the page's id, but is not the one that was sent here.
  const alice = await signedIn()
  const home = await alice.visit('/payer/')
  const csrf = formIn(home.html, 'csrf').fields[0]?.[1] ?? ''
  expect(
    (await alice.visit(action, post({ csrf, decision: 'allow', scope: 'openid' }))).status,
  ).toBe(403)
  const qr = `${action.split('/').at(-1)}${'A'.repeat(43)}`
  expect((await alice.visit(`/oauth2/pre_auth?qr=${qr}`)).status).toBe(404)
  const own = formIn(page.html, 'phone').fields[0]?.[1] ?? ''
  const person = { phone: '4740000009', name: 'X', pin: '1234' }
  const { registration } = (await service.call('POST', '/payer/v1/sign_up/', person, {})).body
  // A value sealed for another purpose is no challenge.
  expect(
    (
      await computer.visit(
        '/payer/sign-in',
        post({ csrf: own, challenge: registration, code: '000000' }),
      )
    ).status,
  ).toBe(200)
  // Nobody has approved, so the page does not continue either.
  const early = await computer.submit({ html: page.html }, { phone: '1', pin: '1' })
  expect(early.location).toBeNull()
  const back = await computer.submit(page, {
    asked: formIn(page.html, 'asked').fields[1]?.[1] ?? '',
  })
  const shown = await computer.follow(back)
  expect([back.status, formIn(shown.html, 'asked').action]).toEqual([303, action])
  expect((await computer.visit(action, post({ csrf: own }))).status).toBe(409)
})
