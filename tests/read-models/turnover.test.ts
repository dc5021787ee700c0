import { describe, expect, test } from 'vitest'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { expiringQueries } from '../../projections/prepared.ts'
import {
  allPointsOfSale,
  turnoverQueries,
  turnoverSpans,
  partsOf,
} from '../../projections/turnover.ts'
import { authorizationEnds, events, hours, morning } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

const requested = (tid: string, changes: Partial<PaymentRequest> = {}, at = morning) =>
  happened(`payment-${tid}`, events.requested({ posTid: tid, ...changes }, null), { at })

const charge = { fee: 180, interchange: 20, vat: 45, taxcode: 'NO:2013' }

/** Captured as requested, at its own time. */
const sold = (tid: string, at: number, changes: Partial<PaymentRequest> = {}) => {
  requested(tid, changes, at)
  happened(`payment-${tid}`, events.authorized(), { at })
  const { type, data } = events.captured(null, 10_000, 1000)
  happened(`payment-${tid}`, { type, data: { ...data, charge } } as never, { at })
}

describe('the turnover between two instants', () => {
  const day = Math.floor(morning / (24 * hours)) * 24 * hours
  const till = { merchant: 'sandbox', posIds: ['till-1'] }
  const all = { merchant: 'sandbox', posIds: [allPointsOfSale] }
  const one = { requested: 1, payments: 1, captured: 11_000, refunds: 0, refunded: 0, fees: 245 }

  test('is that of a point of sale or of all, by currency, and of no other time', () => {
    const { between } = turnoverQueries(file.db)
    sold('a', morning)
    sold('b', morning + hours)
    sold('c', morning + hours, { posId: 'web' })
    sold('d', morning, { currency: 'EUR' })
    sold('e', morning, { merchant: 'other' })
    sold('f', day + 24 * hours)
    const euros = { currency: 'EUR', ...one }
    const two = { ...one, currency: 'NOK', requested: 2, payments: 2, captured: 22_000, fees: 490 }
    expect(between(till, day, day + 24 * hours)).toEqual([euros, two])
    const three = { ...two, requested: 3, payments: 3, captured: 33_000, fees: 735 }
    expect(between(all, day, day + 24 * hours)).toEqual([euros, three])
    expect(between(all, day + 24 * hours, day + 48 * hours)).toEqual([{ currency: 'NOK', ...one }])
  })

  test('is the same from half hours, from days, from four weeks, and from all of them', () => {
    const { between } = turnoverQueries(file.db)
    const times = [0, 5, 23.5, 24, 30, 47.5, 48, 71, 72].map((after) => day + after * hours)
    for (const at of times) sold(`at-${at}`, at)
    const count = (start: number, end: number) => between(all, start, end)[0]?.payments ?? 0
    for (let from = 0; from <= 80; from += 3.5)
      for (let to = from; to <= 80; to += 5.5) {
        const [start, end] = [day + from * hours, day + to * hours]
        const expected = times.filter((at) => at >= start && at < end).length
        expect([from, to, count(start, end)]).toEqual([from, to, expected])
      }
    const days = [4, 18, 19.1, 27, 28, 40.7, 56, 61]
    for (const after of days) sold(`after-${after}`, day + after * 24 * hours)
    const sales = [...times.map((at) => (at - day) / (24 * hours)), ...days]
    for (let from = 0; from <= 64; from += 3.25)
      for (let to = from; to <= 64; to += 4.5) {
        const [start, end] = [day + from * 24 * hours, day + to * 24 * hours]
        const expected = sales.filter((at) => at >= from && at < to).length
        expect([from, to, count(start, end)]).toEqual([from, to, expected])
      }
  })

  const cost = (start: number, end: number) =>
    partsOf(start, end, turnoverSpans, true)
      .map((part) => (part.end - part.start) / part.span)
      .reduce((sum, rows) => sum + rows, 0)

  test('of a day of another time zone is read from few rows', () => {
    expect(cost(day, day + 24 * hours)).toBe(1)
    expect(cost(day - 2 * hours, day + 22 * hours)).toBe(1 + 4 + 4)
    expect(cost(day + 9 * hours, day + 10 * hours)).toBe(2)
    expect(cost(day - 2 * hours, day + (3 * 24 - 1) * hours)).toBe(3 + 4 + 2)
  })

  test('of any year is read from few rows, in any time zone', () => {
    for (let from = 0; from < 28; from += 1) {
      const start = day + (from * 24 - 2) * hours
      expect(cost(start, start + 365 * 24 * hours)).toBeLessThanOrEqual(13 + 14 + 14 + 4 + 4)
    }
  })

  test('has no currency whose half hours leave nothing of its day', () => {
    const { between } = turnoverQueries(file.db)
    sold('early', day + 1 * hours, { currency: 'EUR' })
    sold('noon', day + 12 * hours)
    expect(between(all, day + 2 * hours, day + 26 * hours).map((sum) => sum.currency)).toEqual([
      'NOK',
    ])
  })

  test('counts what is given back when it is given back', () => {
    const { between } = turnoverQueries(file.db)
    sold('a', morning)
    const { type, data } = events.refunded('r', 3000, 0)
    const given = { type, data: { ...data, charge: { ...charge, fee: 0, interchange: 0, vat: 0 } } }
    happened('payment-a', given as never, { at: day + 25 * hours })
    const none = { requested: 0, payments: 0, captured: 0, fees: 0 }
    expect(between(till, day + 24 * hours, day + 48 * hours)).toEqual([
      { ...none, currency: 'NOK', refunds: 1, refunded: 3000 },
    ])
  })

  test('counts a payment as requested, and as paid with its first capture alone', () => {
    const { between } = turnoverQueries(file.db)
    for (const tid of ['a', 'b']) requested(tid)
    happened('payment-a', events.authorized(), { at: morning })
    for (const id of ['one', 'two'])
      happened('payment-a', events.captured(id, 1_000, 0), { at: morning })
    happened('payment-a', events.captured('late', 1_000, 0), { at: morning + 2 * hours })
    const found = between(till, day, day + 24 * hours)
    expect(found).toMatchObject([{ requested: 2, payments: 1, captured: 3_000 }])
    const late = between(till, morning + hours, morning + 3 * hours)
    expect(late).toMatchObject([{ requested: 0, payments: 0, captured: 1_000 }])
  })
})

test('authorisations that end soon are the merchant own, those first that end first', () => {
  const { ofMerchant: expiring } = expiringQueries(file.db)
  for (const tid of ['a', 'b', 'c']) {
    requested(tid, tid === 'c' ? { merchant: 'other' } : {})
    happened(`payment-${tid}`, events.authorized())
  }
  requested('d')
  const tids = () => expiring('sandbox', morning, authorizationEnds, 10).map(({ tid }) => tid)
  expect(tids()).toEqual(['a', 'b'])
  expect(expiring('sandbox', morning, authorizationEnds - 1, 10)).toEqual([])
  happened('payment-a', events.captured(null, 10_000, 1000))
  expect(tids()).toEqual(['b'])
})
