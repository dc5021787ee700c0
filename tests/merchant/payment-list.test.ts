import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

let place: Place
let tids: readonly string[]

beforeAll(async () => {
  place = await openPlace()
  await place.ask('POST', '/merchant/v1/ledger/', { id: 'bar', currency: 'NOK' })
  const first = await place.authorize({ amount: '30.00', additional_amount: '2.00' }, 'order-1')
  await place.capture(first, { amount: '20.00', currency: 'NOK', capture_id: 'c' })
  await place.refund(first, { amount: '5.00', currency: 'NOK', refund_id: 'r' })
  const second = await place.authorize({ amount: '40.00', ledger: 'bar' }, 'order-2')
  await place.release(second)
  tids = [await place.authorize({ amount: '50.00' }, 'order-3'), second, first]
})

afterAll(async () => {
  await place.stop()
  place.remove()
})

const path = '/merchant/v1/payments/'

type Page = { readonly payments: readonly { readonly tid: string }[]; readonly next: string | null }

const found = async (query: string): Promise<string[]> => {
  const all: string[] = []
  for (let at: string | null = path + query; at !== null;) {
    const page: Page = await place.get(at)
    all.push(...page.payments.map(({ tid }) => tid))
    at = page.next
  }
  return all
}

test('a payment is summed up as its outcome tells', async () => {
  const { payments, next } = await place.get(`${path}?pos_tid=order-1`)
  const outcome = await place.outcome(tids[2] ?? '')
  expect(next).toBeNull()
  expect(payments).toEqual([
    {
      tid: tids[2],
      uri: `/merchant/v1/payment_request/${tids[2]}/`,
      ...{ pos_id: 'till-1', pos_tid: 'order-1', status: 'auth', status_code: outcome.status_code },
      ...{ currency: 'NOK', amount: '30.00', captured: '20.00', refunded: '5.00' },
      customer: outcome.customer,
      date_created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      date_modified: outcome.date_modified,
    },
  ])
})

test.each([
  ['', [0, 1, 2]],
  ['?size=1', [0, 1, 2]],
  ['?pos_id=till-1&size=2', [0, 1, 2]],
  ['?pos_id=nowhere', []],
  ['?pos_tid=order-3', [0]],
  ['?pos_tid=order-3&status=ok', []],
  ['?pos_tid=order-3&pos_id=nowhere', []],
  ['?status=auth', [0, 2]],
  ['?status=fail', [1]],
  ['?ledger=bar', [1]],
  ['?ledger=default&size=1', [0, 2]],
  ['?ledger=none', []],
  ['?customer=%2B4799999901', [0, 1, 2]],
  ['?customer=%2B4799999902', []],
  ['?since=2020-01-01%2000:00:00', [0, 1, 2]],
  ['?until=2020-01-01%2000:00:00', []],
])('%s finds payments, newest first', async (query, expected) => {
  expect(await found(query)).toEqual(expected.map((index) => tids[index]))
})

test.each(['what', 'status', 'cursor', 'size', 'since'])('a wrong %s is 400', async (name) => {
  const { status, body } = await place.ask('GET', `${path}?${name}=nothing`)
  expect([status, Object.keys(body.error_details)]).toEqual([400, [name]])
})

test('as of a position, payments are those of then', async () => {
  const position = await place.core.store.head()
  const before = await place.get(path)
  await place.capture(tids[0] ?? '')
  expect(await place.get(`${path}?as_of=${position}`)).toEqual(before)
  expect(await found('?status=ok')).toEqual([tids[0]])
})
