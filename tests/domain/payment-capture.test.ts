import { describe, expect, test } from 'vitest'
import { available } from '../../domain/payment/payment-state.ts'
import { authorizationEnds, commands, events, part, threeDays } from './payments.ts'
import {
  given,
  pending,
  auth,
  partly,
  full,
  isReleased,
  partlyReleased,
  partlyExpired,
  pots,
  ended,
} from './payment-examples.ts'

const { capture } = commands

const { captured, renewed, refunded } = events

describe('capturing', () => {
  test('given an authorisation, when all is captured, then both pots are, and it is ok', () => {
    given(...auth)
      .when(capture('everything'))
      .then(captured(null, 10_000, 1000))
    expect(given(...full).state).toMatchObject({ status: 'ok', statusCode: 2000 })
  })

  test('given an authorisation, when a part is captured, then it stays authorised', () => {
    given(...auth)
      .when(capture(part('a', 4000, 1000)))
      .then(captured('a', 4000, 1000))
    expect(given(...partly).state).toMatchObject({ status: 'auth', statusCode: 3008 })
  })

  test('given a part, when all that is left is captured, then it is the rest, and it is ok', () => {
    given(...partly)
      .when(capture('everything'))
      .then(captured(null, 6000, 0))
    expect(given(...partly, captured(null, 6000)).state).toMatchObject({
      status: 'ok',
      statusCode: 2000,
      captured: pots(10_000, 1000),
    })
  })

  test('given parts that leave nothing in either pot, then it is ok, and not before', () => {
    const amountOnly = [...auth, captured('a', 10_000, 0)]
    expect(given(...amountOnly).state.status).toBe('auth')
    expect(given(...auth, captured('a', 0, 1000)).state.status).toBe('auth')
    given(...amountOnly)
      .when(capture(part('b', 0, 1000)))
      .then(captured('b', 0, 1000))
    expect(given(...amountOnly, captured('b', 0, 1000)).state.status).toBe('ok')
  })

  test('given an authorisation, when it is captured in the last millisecond, then it is', () => {
    given(...auth)
      .when(capture(part('a', 1), authorizationEnds - 1))
      .then(captured('a', 1))
  })

  test('given the instant of expiry, when all or a part is captured, then it is refused', () => {
    for (const wanted of [part('b', 1), 'everything'] as const)
      given(...partly)
        .when(capture(wanted, authorizationEnds))
        .thenRefused('payment_is_not_authorized')
  })

  test('given a request without an answer, when it is captured, then it is refused', () => {
    given(...pending)
      .when(capture('everything'))
      .thenRefused('payment_is_not_authorized')
  })

  test.each(ended)('given it is %s, when a part is captured, then it is refused', (_, history) => {
    const { status } = given(...history).state
    given(...history)
      .when(capture(part('new', 1)))
      .thenRefused(status === 'ok' ? 'nothing_is_left_to_capture' : 'payment_is_not_authorized')
  })

  test.each([
    ['still authorised', partly],
    ['captured in full', [...partly, captured(null, 6000)]],
    ['released', partlyReleased],
    ['expired', partlyExpired],
    ['refunded', [...partly, refunded('r', 4000, 1000)]],
    ['renewed', [...partly, renewed(authorizationEnds + threeDays)]],
  ])(
    'given a capture, and that it is %s, when it comes again, then nothing happens',
    (_, history) => {
      given(...history)
        .when(capture(part('a', 4000, 1000), authorizationEnds + threeDays))
        .thenNothing()
    },
  )

  test.each([
    ['amount', part('a', 4001, 1000)],
    ['additional amount', part('a', 4000, 999)],
    ['currency', { id: 'a', currency: 'SEK', amount: 4000, additionalAmount: 1000 }],
  ])(
    'given a capture, when its id comes with another %s, then it is refused before all else',
    (_, wanted) => {
      for (const history of [partly, partlyReleased, partlyExpired])
        given(...history)
          .when(capture(wanted, authorizationEnds))
          .thenRefused('capture_id_used_with_other_amounts')
    },
  )

  test('given a refund with an id, when a capture has it too, then they are two things', () => {
    given(...partly, refunded('b', 1))
      .when(capture(part('b', 2)))
      .then(captured('b', 2))
  })
})

describe('both pots', () => {
  test('in each of these histories, all authorised is captured, released or available', () => {
    for (const history of [auth, partly, full, isReleased, partlyReleased, partlyExpired]) {
      const { state } = given(...history)
      if (state.status === 'unrequested') throw new Error('it was requested')
      const { captured, released } = state
      const rest = available(state)
      expect(captured.amount + released.amount + rest.amount).toBe(10_000)
      expect(captured.additionalAmount + released.additionalAmount + rest.additionalAmount).toBe(
        1000,
      )
    }
  })
})
