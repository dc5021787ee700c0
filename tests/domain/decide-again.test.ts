import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noFees } from '../../domain/accounting/fees.ts'
import { causes } from '../../audit/rules/aggregate-causes.ts'
import * as aggregates from '../../domain/aggregates.ts'
import type { Facts } from '../../audit/rules/causes.ts'
import {
  decideAgain,
  type Judge,
  type Judged,
  type Verdict,
} from '../../audit/rules/decide-again.ts'
import { schemaVersion, type Recorded } from '../../domain/events.ts'
import { play, someSteps } from './payment-histories.ts'
import { events, morning, requestEnds } from './payments.ts'

const dear = { ...noFees, transactionRate: '0.009', transactionFixed: 1, interchangeRate: '0.25' }

/** Fixed facts, consistent with the payment histories. */
const facts: Facts = {
  posIsKnown: () => true,
  ledgerIsOpen: () => true,
  currencyOf: () => 'NOK',
  termsOf: () => [noFees, dear],
  settlementTermsOf: () => [{}],
  payoutDelaysOf: () => [0],
  timeZonesOf: () => ['UTC'],
  seriesOf: () => 'SERIES',
  settlementStartedAt: () => morning,
  reportOpenedAt: () => morning,
  linesOfReport: () => ({ counters: {}, totals: [] }),
  linesOfSettlement: () => ({ counters: {}, totals: [] }),
  tidOf: () => 't',
  ridOf: () => 't',
  codesWorkOnce: () => true,
  announcedBy: () => ({ id: 'told', event: 'payment_captured', position: 1, at: morning }),
  grantedBy: () => null,
  endedUnpaid: (tid) => tid !== 'paid',
}

const judgeOf = (name: keyof typeof causes): Judge =>
  ({ decider: aggregates[name].decider, causes: causes[name] }) as unknown as Judge

type Given = { readonly type: string; readonly data: object }

const judged = (stream: string, { type, data }: Given, at: number, schema?: number): Judged => {
  const about = { merchant: 'sandbox', actor: 'user:pos1', correlationId: 'c', causationId: null }
  const version = schema ?? schemaVersion(type as Recorded['type'])
  const metadata = { ...about, at, schema: version }
  const place = { id: 'e', stream, revision: 0, position: 1 }
  return { event: { type, data, ...place, metadata } as unknown as Recorded, stored: data }
}

/** The verdict on the last of these events. */
const verdictOn = (
  name: keyof typeof causes,
  history: readonly Judged[],
  given = facts,
): Verdict => {
  const judge = judgeOf(name)
  const before = history
    .slice(0, -1)
    .reduce(
      (state, { event: { type, data, position, metadata } }) =>
        judge.decider.evolve(state, { type, data }, { at: metadata.at, position }),
      judge.decider.initial,
    )
  return decideAgain(judge, before, history.slice(-1), given)
}

test('whatever happens to a payment, each of its events is decided again', () => {
  fc.assert(
    fc.property(someSteps, (steps) => {
      const judge = judgeOf('payments')
      const { taken } = play(steps)
      let state = judge.decider.initial
      for (const { at, events } of taken) {
        if (events.length === 0) continue
        const group = events.map((event) => judged('payment-t', event, at))
        const verdict = decideAgain(judge, state, group, facts)
        expect([verdict, events]).toEqual([{ explained: events.length }, events])
        for (const event of events) state = judge.decider.evolve(state, event, { at, position: 0 })
      }
    }),
  )
})

const opened = [
  judged('payment-t', events.requested(), morning),
  judged('payment-t', events.authorized(), morning),
]
const charge = { fee: 0, interchange: 0, vat: 0, taxcode: 'NO:2013' }
const captured = {
  type: 'PaymentCaptured',
  data: { captureId: 'a', amount: 100, additionalAmount: 0, charge },
} as const
const problemOf = (...[name, history, given]: Parameters<typeof verdictOn>) =>
  (verdictOn(name, history, given) as { readonly problem?: string }).problem

describe('a problem says', () => {
  test.each([
    [
      'what the rules refuse',
      { ...captured.data, amount: 10_001 },
      /^the rules refuse it: capture e/,
    ],
    [
      'which member is another, and what it should be',
      { ...captured.data, charge: { ...charge, vat: 7 } },
      /^its charge\.vat is 7 minor units, and by the rules it is 0 minor units$/,
    ],
  ])('%s', (_, data, problem) => {
    const event = judged('payment-t', { ...captured, data }, morning)
    expect(problemOf('payments', [...opened, event])).toMatch(problem)
  })

  test('that what a link gives back was paid, or not of its order number', () => {
    const about = { merchant: 'sandbox', posId: 'portal', currency: 'NOK', amount: 100 }
    const offer = { type: 'OfferMade', data: { ...about, text: 'A', until: null, stock: 1 } }
    const sold = (tid: string) => {
      const taken = { type: 'OfferTaken', data: { payer: 'alice', posTid: '1', tid } }
      const back = { type: 'OfferGivenBack', data: { payer: 'alice', tid } }
      return [offer, taken, back].map((event) => judged('offer-1', event, morning))
    }
    expect(verdictOn('offers', sold('t'))).toEqual({ explained: 1 })
    expect(problemOf('offers', sold('paid'))).toMatch(/^its payment is not over, or/)
    expect(verdictOn('offers', sold('t').slice(0, 2))).toEqual({ explained: 1 })
    expect(problemOf('offers', sold('other').slice(0, 2))).toMatch(/^the payment is not that of/)
    const [made, taken] = sold('t')
    const another = { type: 'OfferTaken', data: { payer: 'bob', posTid: '2', tid: 't' } }
    const over = [made, taken, judged('offer-1', another, morning)] as Judged[]
    expect(problemOf('offers', over)).toMatch(/^the rules refuse it: offer is sold out/)
  })

  test('that a repetition gives no event', () => {
    const event = judged('payment-t', captured, morning)
    expect(problemOf('payments', [...opened, event, event])).toMatch(
      /^by the rules nothing happens/,
    )
  })

  test('what should have been recorded with it', () => {
    const request = events.requested().data
    const unknown = { ...events.requested(), data: { ...request, payer: null } }
    const failed = { type: 'PaymentFailed', data: { statusCode: 4004 } }
    const asked = judged('payment-t', unknown, morning)
    expect(verdictOn('payments', [asked])).toEqual({ explained: 1 })
    expect(problemOf('payments', [asked, judged('payment-t', failed, morning)])).toMatch(
      /^only a request fails because the customer is unknown/,
    )
    const both = [asked, judged('payment-t', failed, morning)]
    expect(decideAgain(judgeOf('payments'), { status: 'unrequested' }, both, facts)).toEqual({
      explained: 2,
    })
  })
})

describe('of an earlier version', () => {
  test('members that it did not have are not compared, and the others are', () => {
    const installed = { key: 'AA==', ids: 'scattered' }
    const old = judged('installation-daybook', { type: 'InstallationMade', data: installed }, 0, 1)
    const { ids: _, ...stored } = installed
    expect(verdictOn('installations', [{ ...old, stored }])).toEqual({ explained: 1 })
    expect(problemOf('installations', [{ ...old, stored: installed }])).toBe(
      'its ids is "scattered", and by the rules it is "clustered"',
    )
  })
})

describe('an attempt at a callback', () => {
  const attempt = (changes: object = {}) => ({
    type: 'CallbackAttempted',
    data: {
      ...{ subject: 'payment-t', revision: 2, event: 'payment_captured', seqno: 1 },
      ...{ uri: 'https://shop.example/', attemptedAt: morning, result: 'failed' },
      ...{ httpStatus: 500, problem: 'no', nextAttemptAt: morning + 5_500, ...changes },
    },
  })
  const found = (changes: object, id = 'told') =>
    problemOf('callbacks', [judged(`callback-${id}`, attempt(changes), morning)])

  test.each([
    ['whose next one is due within the schedule holds', {}, undefined],
    ['at the end of its spread holds', { nextAttemptAt: morning + 6_000 }, undefined],
    [
      'whose next one comes a millisecond too late does not',
      { nextAttemptAt: morning + 6_001 },
      'its nextAttemptAt is 2026-11-21T09:30:06.124Z, ' +
        'and by the rules it is 2026-11-21T09:30:06.123Z',
    ],
    [
      'that was given up at once does not',
      { nextAttemptAt: null },
      'its nextAttemptAt is null, and by the rules it is 2026-11-21T09:30:06.123Z',
    ],
    [
      'about what its event does not tell does not',
      { event: 'payment_refunded' },
      'that event tells payment_captured, not payment_refunded',
    ],
  ])('%s', (_, changes, problem) => {
    expect(found(changes)).toBe(problem)
  })

  test('about another event than that of its stream does not hold', () => {
    expect(found({}, 'other')).toBe('it is not about revision 2 of payment-t')
  })
})

test('a command that names its time is asked at that of the metadata', () => {
  const expired = { type: 'PaymentExpired', data: { expiredAt: requestEnds } }
  const [asked] = opened
  const at = (time: number) =>
    problemOf('payments', [...(asked ? [asked] : []), judged('payment-t', expired, time)])
  expect(at(requestEnds)).toBeUndefined()
  expect(at(requestEnds - 1)).toMatch(/^it was recorded at .*, before the time of expiry, /)
})
