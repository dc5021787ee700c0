import { describe, expect, test } from 'vitest'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { sealedName } from '../../domain/people/sealed-name.ts'
import { paymentListQueries } from '../../projections/payment-list.ts'
import {
  searchPayments,
  everyPayment,
  type PaymentFilter,
} from '../../projections/payment-search.ts'
import { authorizationEnds, events, morning, requestEnds } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

const minutes = 60_000

const requested = (tid: string, at: number, changes: Partial<PaymentRequest> = {}) =>
  happened(`payment-${tid}`, events.requested({ posTid: tid, customer: null, ...changes }), { at })

const search = () => searchPayments(paymentListQueries(file.db), async () => {})

const pageOf = (wanted: Partial<PaymentFilter>, limit = 50, at = morning) =>
  search()('sandbox', { ...everyPayment, ...wanted }, { behind: null, limit }, at)

const tidsOf = async (wanted: Partial<PaymentFilter>, at = morning): Promise<string[]> =>
  (await pageOf(wanted, 50, at)).rows.map(({ tid }) => tid)

/** All pages, a few rows each. */
const walked = async (wanted: Partial<PaymentFilter>, limit: number): Promise<string[]> => {
  const tids: string[] = []
  let behind = null
  do {
    const all = { ...everyPayment, ...wanted }
    const page = await search()('sandbox', all, { behind, limit }, morning)
    tids.push(...page.rows.map(({ tid }) => tid))
    behind = page.next
  } while (behind !== null)
  return tids
}

describe('given payments of two points of sale, of some amounts and in every state', () => {
  const alice = (text: string) => sealedName('alice', text)
  const happen = () => {
    requested('waiting', morning, { amount: 5_000 })
    requested('open', morning + minutes, { amount: 20_000, customer: alice('a1') })
    happened('payment-open', events.authorized({ expiresAt: authorizationEnds }))
    requested('paid', morning + 2 * minutes, { posId: 'till-2', customer: alice('a2') })
    happened('payment-paid', events.authorized())
    happened('payment-paid', events.captured(null, 10_000, 1000))
    requested('back', morning + 2 * minutes, { amount: 7_000, customer: 'shortlink_id:x' })
    happened('payment-back', events.authorized())
    happened('payment-back', events.captured(null, 7_000, 1000))
    happened('payment-back', events.refunded(null, 500))
    requested('declined', morning + 3 * minutes, { posId: 'till-2' })
    happened('payment-declined', events.declined())
    requested('foreign', morning + 4 * minutes, { merchant: 'other' })
  }

  test('then a merchant has its own, newest first, page by page', async () => {
    happen()
    const all = ['declined', 'back', 'paid', 'open', 'waiting']
    expect(await tidsOf({})).toEqual(all)
    expect(await walked({}, 2)).toEqual(all)
    expect((await pageOf({}, 5)).next).toBeNull()
    expect(await walked({ posIds: ['till-1', 'till-2'] }, 2)).toEqual(all)
  })

  test.each<[string, Partial<PaymentFilter>, string[]]>([
    ['that wait', { status: 'pending' }, ['waiting']],
    ['that are authorised', { status: 'auth' }, ['open']],
    ['that are paid', { status: 'ok' }, ['back', 'paid']],
    ['that have failed', { status: 'fail' }, ['declined']],
    ['with a refund', { status: 'refunded' }, ['back']],
    ['of a point of sale', { posIds: ['till-2'] }, ['declined', 'paid']],
    ['of no point of sale', { posIds: [] }, []],
    ['of a customer, however they were called', { customerKey: 'alice' }, ['paid', 'open']],
    ['of whoever scanned a code', { customerKey: 'shortlink_id:x' }, ['back']],
    ['of an amount', { least: 7_000, most: 7_000 }, ['back']],
    ['between two amounts', { least: 6_000, most: 10_000 }, ['declined', 'back', 'paid']],
    ['from a time on', { since: morning + 2 * minutes }, ['declined', 'back', 'paid']],
    ['before a time', { before: morning + 2 * minutes }, ['open', 'waiting']],
    [
      'of several of these',
      { posIds: ['till-2'], status: 'ok', before: morning + 3 * minutes },
      ['paid'],
    ],
    ['that are largest', { order: 'largest' }, ['open', 'declined', 'paid', 'back', 'waiting']],
    ['that are largest of a day', { order: 'largest', before: morning + minutes }, ['waiting']],
    ['that are largest and paid', { order: 'largest', status: 'ok' }, ['paid', 'back']],
    ['that are largest up to an amount', { order: 'largest', most: 9_000 }, ['back', 'waiting']],
  ])('then those %s are found, also page by page', async (_, wanted, tids) => {
    happen()
    expect(await tidsOf(wanted)).toEqual(tids)
    expect(await walked(wanted, 1)).toEqual(tids)
  })

  test('then a request whose time is over has failed, recorded or not', async () => {
    happen()
    expect(await tidsOf({ status: 'pending' }, requestEnds)).toEqual([])
    expect(await tidsOf({ status: 'auth' }, authorizationEnds)).toEqual([])
    const failed = (since: number) => tidsOf({ status: 'fail', since }, authorizationEnds)
    expect(await failed(morning)).toEqual(['declined', 'open', 'waiting'])
    expect(await failed(morning + minutes)).toEqual(['declined', 'open'])
    const { rows, next } = await pageOf({ status: 'fail' }, 1, requestEnds)
    expect(rows.map(({ tid }) => tid)).toEqual(['declined'])
    expect(next).not.toBeNull()
  })

  test('then each point of sale named in payments is returned once', () => {
    happen()
    const { posIds } = paymentListQueries(file.db)
    expect(posIds('sandbox', 10)).toEqual(['till-1', 'till-2'])
    expect(posIds('sandbox', 1)).toEqual(['till-1'])
    expect(posIds('nobody', 10)).toEqual([])
  })
})

test('the largest of many days are found without a look at every payment of them', async () => {
  let turns = 0
  const turn = async () => void (turns += 1)
  const bounds = { inTurn: 2, few: 4, most: 6 }
  const find = searchPayments(paymentListQueries(file.db), turn, bounds)
  for (let one = 0; one < 10; one += 1) requested(`t${one}`, morning + one, { amount: 100 + one })
  const largest = async (since: number) => {
    turns = 0
    const wanted = { ...everyPayment, order: 'largest', since } as const
    const { rows } = await find('sandbox', wanted, { behind: null, limit: 1 }, morning)
    return [rows.map(({ tid }) => tid), turns]
  }
  expect(await largest(morning + 6)).toEqual([['t9'], 0])
  expect(await largest(morning + 7)).toEqual([['t9'], 1])
})

test('a page that has looked far enough says that there may be more', async () => {
  const bounds = { inTurn: 2, few: 4, most: 6 }
  const find = searchPayments(paymentListQueries(file.db), async () => {}, bounds)
  for (let one = 0; one < 10; one += 1) requested(`t${one}`, morning + one)
  requested('large', morning - 1, { amount: 10_001 })
  const wanted = { ...everyPayment, posIds: ['till-1'], status: 'ok' } as const
  const first = await find('sandbox', wanted, { behind: null, limit: 2 }, morning)
  expect([first.rows, first.isUnfinished]).toEqual([[], true])
  const second = await find('sandbox', wanted, { behind: first.next, limit: 2 }, morning)
  expect([second.rows, second.next, second.isUnfinished]).toEqual([[], null, false])
  // Few have that amount, so it is found quickly.
  const large = { ...everyPayment, least: 10_001, most: 20_000 }
  const { rows } = await find('sandbox', large, { behind: null, limit: 2 }, morning)
  expect(rows.map(({ tid }) => tid)).toEqual(['large'])
  const many = { ...everyPayment, order: 'largest', before: morning + 9 } as const
  const largest = await find('sandbox', many, { behind: null, limit: 1 }, morning)
  expect(largest.rows.map(({ tid }) => tid)).toEqual(['large'])
})
