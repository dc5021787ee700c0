import { describe, expect, test } from 'vitest'
import { maxParts } from '../../domain/payment/payment-actions.ts'
import { commands, events, part } from './payments.ts'
import {
  given,
  pending,
  auth,
  partly,
  full,
  isReleased,
  partlyReleased,
  isAborted,
  authExpired,
  partlyExpired,
  pots,
} from './payment-examples.ts'

const { capture, release, refund } = commands

const { requested, authorized, captured, released, refunded } = events

describe('refunding', () => {
  test('given a capture, when all is refunded, it is what was captured; the status stays', () => {
    given(...full)
      .when(refund('everything', 'Cold soup'))
      .then(refunded(null, 10_000, 1000, 'Cold soup'))
    expect(given(...full, refunded(null, 10_000, 1000)).state).toMatchObject({
      status: 'ok',
      statusCode: 2000,
      refunded: pots(10_000, 1000),
    })
  })

  test('given a part captured and refunded, then the rest can be captured', () => {
    given(...partly)
      .when(refund(part('r', 3000, 500)))
      .then(refunded('r', 3000, 500))
    const history = [...partly, refunded('r', 3000, 500)]
    expect(given(...history).state).toMatchObject({ status: 'auth' })
    given(...history)
      .when(capture('everything'))
      .then(captured(null, 6000, 0))
    given(...history)
      .when(refund('everything'))
      .then(refunded(null, 1000, 500))
  })

  test.each([
    ['captured in full', full, 10_000, 1000],
    ['released after a part', partlyReleased, 4000, 1000],
    ['expired after a part', partlyExpired, 4000, 1000],
  ])(
    'given it is %s, when all is refunded, then it is the captured part',
    (_, history, ...rest) => {
      given(...history)
        .when(refund('everything'))
        .then(refunded(null, ...rest))
    },
  )

  test.each([
    ['one øre more than was captured', part('r', 4001), 'refund_exceeds_captures'],
    ['a tip out of the amount', part('r', 0, 1001), 'refund_exceeds_additional_amount'],
  ] as const)(
    'given a part captured, when %s is refunded, then it is refused',
    (_, wanted, code) => {
      given(...partly)
        .when(refund(wanted))
        .thenRefused(code)
    },
  )

  test('given a refund, when more than the rest is refunded, then it is refused', () => {
    given(...partly, refunded('r', 3000))
      .when(refund(part('s', 1001)))
      .thenRefused('refund_exceeds_captures')
    given(...partly, refunded('r', 3000))
      .when(refund(part('s', 1000)))
      .then(refunded('s', 1000))
  })

  test('given that only the tip was captured, when it is refunded, then it is', () => {
    given(...auth, captured('a', 0, 1000))
      .when(refund('everything'))
      .then(refunded(null, 0, 1000))
  })

  test('given that all was refunded in parts, when what is left is refunded, it is refused', () => {
    given(...full, refunded('r', 10_000, 1000))
      .when(refund('everything'))
      .thenRefused('refund_is_nothing')
  })

  test.each([
    ['pending', pending],
    ['authorised', auth],
    ['released', isReleased],
    ['aborted', isAborted],
    ['expired', authExpired],
  ])(
    'given it is %s and nothing is captured, when it is refunded, then it is refused',
    (_, history) => {
      for (const wanted of ['everything', part('r', 1)] as const)
        given(...history)
          .when(refund(wanted))
          .thenRefused('nothing_is_captured')
    },
  )

  test('given a refund, when it comes again, for another reason too, then nothing happens', () => {
    given(...full, refunded('r', 3000, 500, 'Cold soup'))
      .when(refund(part('r', 3000, 500), 'No spoon'))
      .thenNothing()
    given(...full, refunded(null, 10_000, 1000))
      .when(refund('everything'))
      .thenNothing()
  })

  test('given captures since all was refunded, when all is refunded, then it is those', () => {
    const history = [...partly, refunded(null, 4000, 1000), captured('b', 6000)]
    given(...history)
      .when(refund('everything'))
      .then(refunded(null, 6000, 0))
    given(...history, refunded(null, 6000, 0))
      .when(refund('everything'))
      .thenNothing()
  })
})

describe('a payment of ten thousand captures', () => {
  const many = Array.from({ length: maxParts }, (_, number) => number)
  const large = [requested({ amount: 1_000_000 }), authorized()]
  const captures = many.map((number) => captured(`c${number}`, 10, 0))
  const history = [...large, ...captures]

  test('accepts no further one, whatever its id, and the rest can be released', () => {
    given(...large, ...captures.slice(1))
      .when(capture(part('last', 10)))
      .then(captured('last', 10, 0))
    given(...history)
      .when(capture(part('one more', 10)))
      .thenRefused('captures_are_too_many')
    given(...history)
      .when(capture('everything'))
      .thenRefused('captures_are_too_many')
    given(...history)
      .when(release())
      .then(released(900_000, 1000))
  })

  test('takes each of them again as a repeat', () => {
    for (const id of ['c0', 'c9999'])
      given(...history)
        .when(capture(part(id, 10)))
        .thenNothing()
  })

  test('takes as many refunds, and no further one', () => {
    const refunds = many.map((number) => refunded(`r${number}`, 1, 0))
    given(...history, ...refunds.slice(1))
      .when(refund(part('last', 1)))
      .then(refunded('last', 1, 0))
    given(...history, ...refunds)
      .when(refund(part('one more', 1)))
      .thenRefused('refunds_are_too_many')
    given(...history, ...refunds)
      .when(refund(part('r9999', 1)))
      .thenNothing()
  })
})
