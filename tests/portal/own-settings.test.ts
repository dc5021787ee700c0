// @module-tag long
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { callbackDestinations } from '../../domain/aggregates.ts'
import { within } from '../../domain/stream.ts'
import { messagesTo } from '../support/people-service.ts'
import { signedHeaders } from '../../harness/signing.ts'
import { openMailbox } from '../people/mailbox.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'
import { houseAccount, paidStatement } from './paid-statement.ts'
import { startPaymentDesk } from './payment-desk.ts'

const page = '/portal/account'
const folder = mkdtempSync(join(tmpdir(), 'daybook-notices-'))
const mailbox = await openMailbox()
const { mails } = mailbox
const { service, ...desk } = await startPaymentDesk({
  ...{ MAIL_URL: mailbox.url, MAIL_FROM: 'shop@pay.example', BANK_ACCOUNT: houseAccount },
})
const { alice, bob } = desk
afterAll(async () => {
  await service.stop()
  await mailbox.close()
  rmSync(folder, { recursive: true })
})

const settled = () => service.call('GET', '/sandbox/v1/message/')
const signInAgain = async () => alice.signInAt(await alice.visit('/payer/sign-in?again'), 'alice')

/** Bodies of mails since the last look. */
let seen = 0
const news = async () => {
  await service.advance(1)
  await settled()
  const fresh = mails.slice(seen).map(({ to, body }) => `${to}: ${body}`)
  seen = mails.length
  return fresh
}

/** Sends the form of the page that changes something. */
const send = async (
  visitor: TestVisitor,
  change: string,
  values: Readonly<Record<string, string>>,
  shown = '',
) => {
  const html = shown || (await visitor.visit(page)).html
  const [first = ''] = Object.keys(values)
  const { csrf = '', proof = '', email = '' } = Object.fromEntries(formIn(html, first).fields)
  const body = new URLSearchParams({ csrf, change, proof, email, ...values })
  return visitor.visit(page, { method: 'POST', body })
}

const key = createPrivateKey(readFileSync(join(service.folder, 'sandbox-admin-key.pem')))

const refund = async (tid: string, amount: string, refund_id: string): Promise<void> => {
  const path = `/merchant/v1/payment_request/${tid}/`
  const body = { action: 'refund', refund_id, amount, currency: 'NOK' }
  const headers = { 'X-Service-Merchant': 'sandbox', 'X-Service-User': 'admin' }
  const url = service.address + path
  const signed = signedHeaders({ method: 'PUT', url, body: JSON.stringify(body), key, headers })
  expect((await service.call('PUT', path, body, signed)).status).toBe(204)
}

const portal = () => `${service.address}/portal/sandbox/`

test('an address gets messages once it is confirmed by the code of a mail', async () => {
  await send(alice, 'pages', { language: 'en', search_key: 'on' })
  await news()
  expect((await send(alice, 'mail', { email: 'alice at home' })).status).toBe(400)
  const asked = await send(alice, 'mail', { email: 'alice@home.example' })
  expect(asked.html).toContain('We have sent a code to alice@home.example.')
  await settled()
  const { to, from, body } = mails.at(-1) ?? { to: '', from: '', body: '' }
  expect([to, from]).toEqual(['alice@home.example', 'shop@pay.example'])
  const [code = ''] = /\d{6}/.exec(body) ?? []
  const wrong = await send(
    alice,
    'mail',
    { number_code: code === '111111' ? '2' : '111111' },
    asked.html,
  )
  expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining('aria-invalid="true"')])
  // A code that bob's browser sends is not of his account.
  const ofBob = new Map(formIn((await bob.visit(page)).html, 'email').fields)
  const [proof] = formIn(asked.html, 'proof').fields.flatMap(([name, value]) =>
    name === 'proof' ? [value] : [],
  )
  const stolen = { ...Object.fromEntries(ofBob), proof: proof ?? '', number_code: code }
  const refused = await bob.visit(page, { method: 'POST', body: new URLSearchParams(stolen) })
  expect(refused.status).toBe(400)
  expect((await send(alice, 'mail', { number_code: code }, asked.html)).status).toBe(303)
  expect((await alice.visit(page)).html).toContain('alice@home.example is confirmed.')
  expect((await send(alice, 'mail', { number_code: code }, asked.html)).status).toBe(400)
  const log = JSON.stringify(await service.events())
  expect(log).not.toContain('alice@home.example')
  seen = mails.length
})

const everything = {
  ...{ big_refund: 'mail', payout_sent: 'mail', payout_returned: 'mail' },
  ...{ daily_sum: 'mail', sign_in: 'mail' },
}

test('a big refund is told once, to whoever has chosen it and may see the money', async () => {
  const sold = await desk.captured({ amount: '1800.00' })
  await refund(sold, '1500.00', 'first')
  expect(await news()).toEqual([])
  await send(alice, 'notices', everything)
  await desk.bobIs('cashier', '--pos', 'till-1')
  await send(bob, 'notices', { big_refund: 'text' })

  const tid = await desk.captured({ amount: '2500.00' })
  await refund(tid, '999.99', 'small')
  await refund(tid, '1500.00', 'big')
  const told = `Sandbox Shop: NOK 1,500.00 was refunded to a customer. ${portal()}payments/${tid}`
  expect(await news()).toEqual([`alice@home.example: ${told}`])
  expect((await alice.visit(`/portal/sandbox/payments/${tid}`)).status).toBe(200)
  expect(await messagesTo(service, '+4799999902')).toEqual([])
  await desk.bobIs('accountant')
  // Nobody has confirmed this address, so text messages go in place of mails.
  const details = await bob.visit('/payer/profile')
  const countries = { country: 'NO', shipping_country: 'NO' }
  const changed = { name: 'Bob Berg', email: 'bob@elsewhere.example', ...countries }
  expect((await bob.submit(details, changed)).status).toBe(303)
  await send(bob, 'notices', { big_refund: 'mail' })
  await refund(tid, '0.01', 'tiny')
  await service.restart()
  expect(await news()).toEqual([])
})

test('each chooses from how much a refund is big', async () => {
  await send(alice, 'notices', { ...everything, refund_from: '500' })
  await send(bob, 'notices', { big_refund: 'mail', refund_from: '5000' })
  expect((await alice.visit(page)).html).toMatch(/<option value="500" selected/)
  const tid = await desk.captured({ amount: '6000.00' })
  await refund(tid, '499.99', 'small')
  await refund(tid, '500.00', 'big')
  expect(await news()).toEqual([expect.stringMatching(/^alice.* NOK 500\.00 was refunded/)])
  expect(await messagesTo(service, '+4799999902')).toEqual([])
  await refund(tid, '5000.00', 'huge')
  expect(await news()).toHaveLength(1)
  expect(await messagesTo(service, '+4799999902')).toHaveLength(1)
  await send(alice, 'notices', { ...everything, refund_from: '1000' })
  await send(bob, 'notices', { big_refund: 'mail', refund_from: '1000' })
  await service.restart()
})

test('while the mail server is away nothing waits, and all is told once it is back', async () => {
  const tid = await desk.captured({ amount: '5000.00' })
  await mailbox.close()
  for (const id of ['a', 'b', 'c']) await refund(tid, '1000.00', id)
  expect(await news()).toEqual([])
  expect(service.log()).toContain('messages were not sent')
  // Bob gets text messages meanwhile.
  expect(await messagesTo(service, '+4799999902')).toHaveLength(3)
  await service.restart()
  await mailbox.open()
  await service.advance(120)
  expect(await news()).toHaveLength(3)
  await service.restart()
  await service.advance(120)
  expect(await news()).toEqual([])
  const ids = mails.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(await messagesTo(service, '+4799999902')).toHaveLength(0)
})

test('a sign-in on a new device is told, one on a known device is not', async () => {
  await signInAgain()
  expect(await news()).toEqual([])
  await makeVisitor(service).signIn('alice')
  const [told, ...others] = await news()
  expect(others).toEqual([])
  expect(told).toMatch(/^alice@home\.example: Somebody signed in .* \S+\/payer\/security$/)
})

test('the sum of a day is told the next morning, in the time zone of the shop', async () => {
  const at = (now: string) => service.call('POST', '/sandbox/v1/clock/', { now })
  await at('2030-06-03 12:00:00')
  await desk.captured({ amount: '300.00' })
  await desk.captured({ amount: '20.00', currency: 'EUR' })
  await at('2030-06-04 04:59:00')
  expect(await news()).toEqual([])
  await at('2030-06-04 07:10:00')
  const sums = 'Sandbox Shop took €20.00 and NOK 300.00 in 2 payments on Jun 3, 2030'
  const day = 'since=2030-06-03&until=2030-06-03'
  expect(await news()).toEqual([`alice@home.example: ${sums}. ${portal()}?${day}`])
  await at('2030-06-06 12:00:00')
  expect(await news()).toEqual([])
})

test('payouts and failing callbacks are told in the language that one has chosen', async () => {
  await signInAgain()
  await send(alice, 'pages', { language: 'sv', search_key: 'on' })
  await service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
  await service.advance(10 * 86_400)
  const order = join(folder, 'order.xml')
  await service.operator('settle', '--pain001', order)
  const [, day = ''] = /<ReqdExctnDt>\s*<Dt>([^<]*)</.exec(readFileSync(order, 'utf8')) ?? []
  const statement = join(folder, 'paid.xml')
  writeFileSync(statement, paidStatement(order, day))
  await service.operator('bank', 'import', statement)
  const destination = 'https://shop.example/callbacks'
  const rest = { type: 'Rest', destination, failingSince: 1, problem: null } as const
  const context = service.core.contextOf('daybook', 'sandbox')
  await service.core.handle(callbackDestinations, within('sandbox', destination), rest, context)
  const told = await news()
  expect(told.filter((one) => one.includes('är betald')).length).toBeGreaterThan(0)
  for (const one of told) expect(one).toMatch(/money\/settlements\/\d+$|\/developers$/)
  expect(told.at(-1)).toContain('återanrop till en adress har stoppats')
})

test('the key of the search can be switched off, and on again, on each device', async () => {
  const shown = async (visitor: TestVisitor) => {
    const { html } = await visitor.visit('/portal/sandbox/messages')
    return [
      html.includes('aria-keyshortcuts="/"'),
      html.includes('<kbd'),
      html.includes('data-seek="off"'),
    ]
  }
  await signInAgain()
  expect(await shown(alice)).toEqual([true, true, false])
  await send(alice, 'pages', { language: 'en' }, (await alice.visit(page)).html)
  const other = makeVisitor(service)
  await other.signIn('alice')
  expect(await shown(other)).toEqual([false, false, true])
  await send(other, 'pages', { language: 'en', search_key: 'on' })
  expect(await shown(alice)).toEqual([true, true, false])
})

test('what somebody has chosen goes with the account, and the log holds', async () => {
  const tid = await desk.captured({ amount: '1800.00' })
  await news()
  await service.operator('payer', 'erase', '+4799999901')
  expect((await alice.visit(page)).status).toBe(303)
  await refund(tid, '1800.00', 'erased')
  expect(await news()).toEqual([])
  expect(await service.operator('audit', 'verify')).toMatchObject({ holds: true })
})
