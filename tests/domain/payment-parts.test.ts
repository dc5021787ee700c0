import { describe, test } from 'vitest'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'
import { payment } from '../../domain/payment/payment.ts'
import type { RefusalCode } from '../../domain/refusal.ts'
import { examplesOf } from './given.ts'
import { authorizationEnds, commands, events, part } from './payments.ts'

const given = examplesOf(payment)
const { requested, authorized, captured, refunded } = events

const auth = [requested(), authorized()]
const full = [...auth, captured(null, 10_000, 1000)]

/** What may be taken in parts: 100.00 and 10.00 in `whole`, 60.00 and no tip in `some`. */
const kinds = [
  {
    what: 'capture',
    take: commands.capture,
    taken: captured,
    whole: auth,
    some: [...auth, captured('a', 4000, 1000)],
    exceeds: 'capture_exceeds_authorization',
  },
  {
    what: 'refund',
    take: (wanted: Parameters<typeof commands.refund>[0]) => commands.refund(wanted),
    taken: (id: string | null, amount: number, tip?: number) => refunded(id, amount, tip),
    whole: full,
    some: [...full, refunded('a', 4000, 1000)],
    exceeds: 'refund_exceeds_captures',
  },
] as const satisfies readonly {
  what: 'capture' | 'refund'
  whole: readonly PaymentEvent[]
  some: readonly PaymentEvent[]
  exceeds: RefusalCode
  [more: string]: unknown
}[]

describe.each(kinds)('a $what', ({ what, take, taken, whole, some, exceeds }) => {
  test('given 100.00 and 10.00, when everything is wanted, then it is both', () => {
    given(...whole)
      .when(take('everything'))
      .then(taken(null, 10_000, 1000))
  })

  test('given that a part is taken, when everything is wanted, then it is the rest', () => {
    given(...some)
      .when(take('everything'))
      .then(taken(null, 6000))
  })

  test.each([
    ['one øre more than is left', part('b', 6001), exceeds],
    ['a tip that is taken', part('b', 1000, 1), `${what}_exceeds_additional_amount`],
    ['the tip out of the amount', part('b', 0, 1001), `${what}_exceeds_additional_amount`],
    ['nothing', part('b', 0), `${what}_is_nothing`],
  ] as const)('given a part, when %s is wanted, then it is refused', (_, wanted, code) => {
    given(...some)
      .when(take(wanted))
      .thenRefused(code)
  })

  test('given figures without an id, when they are all that is left, then it is everything', () => {
    given(...whole)
      .when(take(part(null, 10_000, 1000)))
      .then(taken(null, 10_000, 1000))
    given(...some)
      .when(take(part(null, 6000)))
      .then(taken(null, 6000))
  })

  test.each([
    ['less than is left', part(null, 9999, 1000), `${what}_id_is_missing`],
    ['without the tip', part(null, 10_000), `${what}_id_is_missing`],
    ['more than is left', part(null, 10_001), exceeds],
    ['more than is left, with the tip', part(null, 10_001, 1000), exceeds],
  ] as const)('given figures without an id, when %s, then they are refused', (_, wanted, why) => {
    given(...whole)
      .when(take(wanted))
      .thenRefused(why)
  })

  test('given that everything is taken, when it comes again, then nothing happens', () => {
    for (const again of ['everything', part(null, 10_000, 1000)] as const)
      given(...whole, taken(null, 10_000, 1000))
        .when(take(again))
        .thenNothing()
    given(...some, taken(null, 6000))
      .when(take(part(null, 6000)))
      .thenNothing()
  })

  test('given its id, when it comes again, then nothing happens', () => {
    given(...some)
      .when(take(part('a', 4000, 1000)))
      .thenNothing()
  })

  test.each([
    ['amount', part('a', 4001, 1000)],
    ['smaller amount', part('a', 3999, 1000)],
    ['additional amount', part('a', 4000, 999)],
    ['currency', { id: 'a', currency: 'SEK', amount: 4000, additionalAmount: 1000 }],
  ])('given its id, when it comes with another %s, then it is refused', (_, wanted) => {
    given(...some)
      .when(take(wanted))
      .thenRefused(`${what}_id_used_with_other_amounts`)
  })

  test.each(['b', null])('given NOK, when SEK are wanted under id %s, then it is refused', (id) => {
    given(...whole)
      .when(take({ id, currency: 'SEK', amount: 10_000, additionalAmount: 1000 }))
      .thenRefused('currency_differs_from_payment')
  })

  test('given that it was refused, when its id comes with less, then it is free', () => {
    given(...whole)
      .when(take(part('b', 10_001)))
      .thenRefused(exceeds)
    given(...whole)
      .when(take(part('b', 10_000)))
      .then(taken('b', 10_000))
  })

  test('given that the amount is taken, when the tip is, then nothing is left', () => {
    const history = [...whole, taken('a', 10_000)]
    given(...history)
      .when(take(part('b', 0, 1001)))
      .thenRefused(`${what}_exceeds_additional_amount`)
    given(...history)
      .when(take(part('b', 0, 1000)))
      .then(taken('b', 0, 1000))
  })
})

test('given that all was captured, when it comes again after expiry, then nothing happens', () => {
  for (const again of ['everything', part(null, 10_000, 1000)] as const)
    given(...full)
      .when(commands.capture(again, authorizationEnds))
      .thenNothing()
})

test('given that all was captured, when others come, then nothing is left to capture', () => {
  given(...full)
    .when(commands.capture(part(null, 9999, 1000)))
    .thenRefused('nothing_is_left_to_capture')
})

test('given a refund without an id, when more is captured, then it is another refund', () => {
  const once = [...auth, captured('a', 5000), refunded(null, 5000)]
  given(...once, captured('b', 4000))
    .when(commands.refund(part(null, 5000)))
    .thenNothing()
  given(...once, captured('b', 5000))
    .when(commands.refund(part(null, 5000)))
    .then(refunded(null, 5000))
})

test('given figures without an id, when all is refunded, then its text is kept', () => {
  given(...full)
    .when(commands.refund(part(null, 10_000, 1000), 'Cold soup'))
    .then(refunded(null, 10_000, 1000, 'Cold soup'))
})
