// @module-tag long
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { houseAccount, paidStatement } from './paid-statement.ts'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-steps-'))

let desk: PaymentDesk
let shop = ''

beforeAll(async () => {
  desk = await startPaymentDesk({ BANK_ACCOUNT: houseAccount })
  const business = {
    ...{ name: 'Kaffebaren', organization: '987 654 325', currency: 'nok' },
    ...{ payout_account: 'NO93 8601 1117 947', time_zone: 'europe/oslo' },
  }
  const form = await desk.alice.visit('/portal/sign-up')
  shop = (await desk.alice.submit(form, business)).location ?? ''
})
afterAll(async () => {
  await desk.service.stop()
  rmSync(folder, { recursive: true })
})

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .trim()

/** The steps of the overview, with the targets of those that are open. */
const steps = async (visitor = desk.alice, path = shop) => {
  const { html } = await visitor.visit(path)
  const list = /<ol class="first-steps">([^]*?)<\/ol>/.exec(html)?.[1] ?? ''
  return list
    .split('<li')
    .slice(1)
    .map((item) => {
      const text = textOf(`<li${item}`)
      const [, href] = /href="([^"]*)"/.exec(item) ?? []
      return href === undefined ? text : `${text} > ${href.replace(shop, '')}`
    })
}

const first = [
  'Done: Say which account payouts go to',
  expect.stringMatching(/^Connect a till, or take payments in the portal: .* > take$/),
  'Invite your staff > staff?invite',
  'Take a test payment > take',
  'Close the first report > money/ledgers/default',
  'Get the first payout > money',
]

const doneOnly = (list: readonly string[]) =>
  list.filter((text) => text.startsWith('Done:')).map((text) => text.slice(6))

test('a new shop sees what is left, each with its link; what is done has a tick', async () => {
  expect(await steps()).toEqual(first)
})

test('whoever hides the steps does not see them again in that browser, and others do', async () => {
  const { alice } = desk
  const page = await alice.visit(shop)
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(page.html) ?? []
  const hidden = await alice.visit(shop, { method: 'POST', body: new URLSearchParams({ csrf }) })
  expect([hidden.status, hidden.location]).toEqual([303, shop])
  expect(await steps()).toEqual([])
  expect(await steps(alice, '/portal/sandbox/')).not.toEqual([])
  alice.cookies.delete('daybook-no-steps')
  expect(await steps()).toEqual(first)
})

test('a cashier of a shop sees the steps of their role alone', async () => {
  await desk.bobIs('cashier', '--pos', 'till-1')
  expect(await steps(desk.bob, '/portal/sandbox/')).toEqual([
    'Take a test payment > /portal/sandbox/take',
  ])
})

test('from the first payment to the first payout they are ticked, and then gone', async () => {
  const { alice, service } = desk
  const form = await alice.visit(`${shop}take`)
  const sent = await alice.submit(form, { amount: '300', how: 'phone', phone: '99999902' })
  const tid = sent.location?.split('/').at(-1) ?? ''
  await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`, { payer: 'bob' })
  await service.advance(0)
  const [account, tills, staff, payment, report, payout] = [
    'Say which account payouts go to',
    'Connect a till, or take payments in the portal',
    'Invite your staff',
    'Take a test payment',
    'Close the first report',
    'Get the first payout',
  ]
  expect(doneOnly(await steps())).toEqual([account, tills, payment])
  const merchant = shop.split('/')[2] ?? ''
  await service.operator('staff', 'add', merchant, '+4799999902', '--role', 'accountant')
  expect(doneOnly(await steps())).toEqual([account, tills, staff, payment])
  const page = await alice.visit(`${shop}money/ledgers/default/reports/1?close`)
  await alice.submit(page, { decision: 'close' })
  await service.advance(0)
  expect(doneOnly(await steps())).toEqual([account, tills, staff, payment, report])
  await service.call('POST', '/sandbox/v1/settlement/', { merchant })
  await service.advance(7 * 86_400)
  const order = join(folder, 'order.xml')
  await service.operator('settle', '--pain001', order)
  const [, day = ''] = /<ReqdExctnDt>\s*<Dt>([^<]*)</.exec(readFileSync(order, 'utf8')) ?? []
  await service.call('POST', '/sandbox/v1/clock/', { now: `${day} 23:00:00` })
  await alice.signIn('alice')
  expect(doneOnly(await steps())).not.toContain(payout)
  const statement = join(folder, 'statement.xml')
  writeFileSync(statement, paidStatement(order, day))
  await service.operator('bank', 'import', statement)
  expect(await steps()).toEqual([])
})
