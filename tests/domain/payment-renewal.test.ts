import { describe, expect, test } from 'vitest'
import { authorizationEnds, commands, events, hours, morning, threeDays } from './payments.ts'
import { given, pending, auth, partly, ended } from './payment-examples.ts'

const { capture, renew, expire } = commands

const { captured, renewed } = events

describe('renewing', () => {
  const until = authorizationEnds + 5 * hours

  test('given an authorisation, when it is renewed, it lasts three days, in whole seconds', () => {
    given(...auth)
      .when(renew(morning + 5 * hours))
      .then(renewed(until))
    given(...partly)
      .when(renew(morning + 5 * hours))
      .then(renewed(until))
    expect(given(...auth, renewed(until)).state).toMatchObject({
      status: 'auth',
      statusCode: 3008,
      expiresAt: until,
    })
  })

  test('given a renewal, when the old end comes, then it can be captured still', () => {
    given(...auth, renewed(until))
      .when(capture('everything', authorizationEnds))
      .then(captured(null, 10_000, 1000))
    given(...auth, renewed(until))
      .when(expire(until - 1))
      .thenNothing()
  })

  test('given the second of its authorisation, when it is renewed, then it is, once', () => {
    given(...auth)
      .when(renew(authorizationEnds - threeDays))
      .then(renewed(authorizationEnds))
    given(...auth, renewed(authorizationEnds))
      .when(renew(authorizationEnds - threeDays))
      .thenNothing()
  })

  test('given an authorisation, when a clock is behind, then no renewal shortens it', () => {
    given(...auth)
      .when(renew(authorizationEnds - threeDays - 2000))
      .then(renewed(authorizationEnds))
  })

  test('given a renewal, when it is renewed later, then it lasts longer once more', () => {
    given(...auth, renewed(until))
      .when(renew(morning + 10 * hours))
      .then(renewed(authorizationEnds + 10 * hours))
  })

  test('given a renewal, when it comes again in the same second, then nothing happens', () => {
    given(...auth, renewed(until))
      .when(renew(morning + 5 * hours + 800))
      .thenNothing()
  })

  test('given a renewal, when the clock of a node is a little behind, then it stays', () => {
    given(...auth, renewed(until))
      .when(renew(morning + 5 * hours - 2000))
      .thenNothing()
  })

  test('given the very instant of expiry, when it is renewed, then it is refused', () => {
    given(...auth)
      .when(renew(authorizationEnds))
      .thenRefused('payment_is_not_authorized')
    given(...auth)
      .when(renew(authorizationEnds - 1))
      .then(renewed(authorizationEnds - 1000 + threeDays))
  })

  test('given a request that is not answered, when it is renewed, then it is refused', () => {
    given(...pending)
      .when(renew())
      .thenRefused('payment_is_not_authorized')
  })

  test.each(ended)('given it is %s, when it is renewed, then it is refused', (_, history) => {
    given(...history)
      .when(renew())
      .thenRefused('payment_is_not_authorized')
  })
})
