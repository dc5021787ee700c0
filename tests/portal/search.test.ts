import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestVisitor } from '../people/visitor.ts'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'
import { soldAndRefunded } from './sold.ts'

let desk: PaymentDesk
let tid = ''
let code = ''

/** What stands in the links of a page, by the title of their kind. */
const foundIn = (html: string): Readonly<Record<string, readonly string[]>> => {
  const cards = [...html.matchAll(/<h2>([^<]*)<\/h2><ul class="found">(.*?)<\/ul>/gs)]
  const links = (list: string) =>
    [...list.matchAll(/<a href="[^"]*"><span>(.*?)<\/span>/gs)].map(([, name = '']) =>
      name.replaceAll(/<[^>]*>/g, '').replaceAll('\u00a0', ' '),
    )
  return Object.fromEntries(cards.map(([, kind = '', list = '']) => [kind, links(list)]))
}

const search = async (text: string, visitor: TestVisitor = desk.alice, merchant = 'sandbox') => {
  const query = new URLSearchParams({ q: text })
  const { status, html } = await visitor.visit(`/portal/${merchant}/search?${query}`)
  return { status, html, found: foundIn(html) }
}

const payments = async (text: string, visitor: TestVisitor = desk.alice) =>
  (await search(text, visitor)).found['Payments'] ?? []

beforeAll(async () => {
  desk = await startPaymentDesk()
  const { service, request } = desk
  const call = service.call
  await call('POST', '/merchant/v1/pos/', { id: 'till-2', name: 'Bar', type: 'store' })
  code = (await call('POST', '/merchant/v1/shortlink/', { description: 'The garden' })).body.id
  const callback_uri = 'https://shop.example/hook'
  tid = await request({
    pos_tid: 'A-1042',
    text: 'Flat white',
    customer: '4791000005',
    callback_uri,
  })
  await request({ pos_tid: 'A-1043', text: 'Soup', customer: '+47 910 00 006', amount: '149.50' })
  await request({ pos_tid: 'B-1', pos_id: 'till-2', text: 'Soup', customer: '4746110005' })
  const soup = { product_id: 'fish-1', description: 'Fiskesuppe', quantity: 1 }
  const line_items = [
    { ...soup, item_cost: '90.00', total: '90.00' },
    { product_id: 'bun', quantity: 1, item_cost: '10.00', total: '10.00' },
  ]
  await request({ pos_tid: 'B-2', customer: 'Ola at table 7', line_items })
  await request({ pos_tid: 'B-3', customer: '46701230005' })
  await service.operator('merchant', 'add', 'other', '--name', 'Other', '--currency', 'NOK')
  await service.operator('staff', 'add', 'other', '+4799999901', '--role', 'owner')
})
afterAll(() => desk.service.stop())

test.each([
  ['A-1042', ['A-1042']],
  ['104', ['A-1043', 'A-1042']],
  ['b-', ['B-3', 'B-2', 'B-1']],
  ['flat WHITE', ['A-1042']],
  ['soup', ['B-1', 'A-1043']],
  ['fiskesup', ['B-2']],
  ['bun', ['B-2']],
  ['149,5', ['A-1043']],
  ['149.50', ['A-1043']],
  ['+47 91 00 00 06', ['A-1043']],
  ['0047 (910) 00-006', ['A-1043']],
  ['0006', ['A-1043']],
  ['0005', ['B-1', 'A-1042']],
  ['9100 00', ['A-1043', 'A-1042']],
  ['+47 9100', ['A-1043', 'A-1042']],
  ['46 11', ['B-1']],
  ['+46 70 123 00 05', ['B-3']],
  ['Ola at table 7', ['B-2']],
  ['0007', []],
  ['%', []],
])('the search for %s finds the payments %j', async (text, expected) => {
  expect(await payments(text)).toEqual(expected)
})

test('a payment is found by the amount shown, with its tip or captured in part', async () => {
  const { request, service } = desk
  const tipped = { pos_tid: 'C-1', amount: '372.00', additional_amount: '38.00' }
  const tid = await request({ ...tipped, additional_edit: true })
  expect(await payments('410')).toEqual(['C-1'])
  await service.call('POST', `/sandbox/v1/payment_request/${tid}/accept/`)
  const capture = { action: 'capture', amount: '300.00', additional_amount: '11.00' }
  const path = `/merchant/v1/payment_request/${tid}/`
  await service.call('PUT', path, { ...capture, currency: 'NOK', capture_id: 'a' })
  expect([await payments('311,00'), await payments('410')]).toEqual([['C-1'], []])
  expect(await payments('372')).toEqual(['C-1'])
})

test('a payment is found by its id, or the beginning of it', async () => {
  expect([await payments(tid), await payments(tid.slice(0, 10).toUpperCase())]).toEqual([
    ['A-1042'],
    ['A-1042'],
  ])
})

test('tills, codes, people and callbacks are found by their names and ids', async () => {
  expect((await search('bar')).found).toEqual({ 'Points of sale': ['Bar'] })
  expect((await search('garden')).found).toEqual({ Codes: ['The garden'] })
  expect((await search('alice')).found).toEqual({ Staff: [expect.stringContaining('Alice')] })
  expect((await search('99 99 01')).found['Staff']).toHaveLength(1)
  expect((await search('pos1')).found).toEqual({ 'API users': ['pos1'] })
  const form = await desk.alice.visit('/portal/sandbox/new-link')
  await desk.alice.submit(form, { amount: '45', text: 'Pancakes' })
  expect((await search('pancake')).found).toEqual({ 'Payment links': ['Pancakes'] })
  await desk.service.call('DELETE', `/merchant/v1/payment_request/${tid}/`)
  await desk.service.call('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'release' })
  const { found, html } = await search('A-1042')
  expect(found['Callbacks']).toEqual([expect.any(String)])
  const [, message = ''] = /developers\/callbacks\/([\w-]+)"/.exec(html) ?? []
  expect(Object.keys((await search(message)).found)).toEqual(['Callbacks'])
  for (const id of [message, code]) {
    expect((await search(id, desk.alice, 'other')).found).toEqual({})
    expect((await search(id)).found).not.toEqual({})
  }
})

test('a payout is found by its amount and the ids of its settlement and transfer', async () => {
  await soldAndRefunded(desk.service)
  const { html } = await desk.alice.visit('/portal/sandbox/money/settlements/1')
  const [, id = ''] = /([\w-]+-\d{4}-\d\d-\d\d-1)\b/.exec(html) ?? []
  expect(id).not.toBe('')
  const payouts = async (text: string) => (await search(text)).found['Payouts']
  const [amount = ''] = (await payouts(id)) ?? []
  expect(amount).toMatch(/^NOK \d+\.\d\d$/)
  expect(await payouts(amount.replace('NOK ', ''))).toEqual([amount])
  expect([await payouts(`${id}-NOK`), await payouts(`${id}-NOK-2`)]).toEqual([[amount], [amount]])
  expect([await payouts(`${id}-EUR`), await payouts('1')]).toEqual([undefined, undefined])
  expect((await search(id, desk.alice, 'other')).found).toEqual({})
})

test('each role finds what it sees elsewhere, nobody what is of another merchant', async () => {
  const kinds = async (text: string) => Object.keys((await search(text, desk.bob)).found)
  await desk.bobIs('cashier', '--pos', 'till-2')
  expect(await payments('soup', desk.bob)).toEqual(['B-1'])
  expect(await payments('0005', desk.bob)).toEqual(['B-1'])
  expect([await payments(tid, desk.bob), await payments('149.50', desk.bob)]).toEqual([[], []])
  expect([await kinds('bar'), await kinds('garden'), await kinds('alice')]).toEqual([[], [], []])
  await desk.bobIs('developer')
  expect([await kinds('bar'), await kinds('alice')]).toEqual([['Points of sale'], []])
  await desk.bobIs('accountant')
  expect([await kinds('alice'), await kinds('A-1042')]).toEqual([
    ['Staff'],
    ['Payments', 'Callbacks'],
  ])
  expect((await search('soup', desk.bob, 'other')).status).toBe(404)
  for (const text of ['soup', '0005', tid, 'garden', '149.50', 'A-1042', 'Bar'])
    expect((await search(text, desk.alice, 'other')).found).toEqual({})
})

test('an erased customer is found by no number any more, and half of one neither', async () => {
  expect(await payments('9100 0005')).toEqual(['A-1042'])
  await desk.service.operator('payer', 'erase', '4791000005')
  expect([await payments('9100 0005'), await payments('9100 000')]).toEqual([[], ['A-1043']])
  expect([await payments('0005'), await payments('A-1042')]).toEqual([['B-1'], ['A-1042']])
})

test('the page says that there are more, or what to write', async () => {
  for (let number = 0; number < 21; number += 1) await desk.request({ pos_tid: `many-${number}` })
  const many = await search('many-')
  expect(many.found['Payments']).toHaveLength(20)
  expect(many.html).toContain('There are more.')
  const none = await search('<none>')
  expect(none.html).toContain('Nothing found for “&lt;none&gt;”.')
  expect(none.html).toMatch(/<input name="q" type="search" value="&lt;none&gt;"/)
  expect((await search('')).html).toContain('Write an order number')
  const home = await desk.alice.visit('/portal/sandbox/messages')
  expect(home.html).toMatch(
    /<form class="seek"[^>]* method="get" action="\/portal\/sandbox\/search"/,
  )
})
