import { describe, expect, test } from 'vitest'
import { authorizationEnds, commands, events, requestEnds, threeDays } from './payments.ts'
import {
  given,
  pending,
  auth,
  partly,
  full,
  isReleased,
  partlyReleased,
  isAborted,
  isDeclined,
  isExpired,
  authExpired,
  partlyExpired,
  withoutFunds,
  unknownPayer,
  pots,
  ended,
} from './payment-examples.ts'

const { release, expire } = commands

const { aborted, expired, released, authorizationExpired } = events

describe('releasing and aborting', () => {
  test('given a request, when the merchant aborts, then it fails with 4019', () => {
    given(...pending)
      .when(release())
      .then(aborted)
    expect(given(...isAborted).state).toMatchObject({ status: 'fail', statusCode: 4019 })
  })

  test('given an authorisation, when it is released, both pots are; it fails with 4019', () => {
    given(...auth)
      .when(release())
      .then(released(10_000, 1000))
    const { state } = given(...isReleased)
    expect(state).toMatchObject({
      status: 'fail',
      statusCode: 4019,
      released: pots(10_000, 1000),
      captured: pots(0, 0),
    })
  })

  test('given a part captured, when the rest is released, then it is ok', () => {
    given(...partly)
      .when(release())
      .then(released(6000, 0))
    expect(given(...partlyReleased).state).toMatchObject({
      status: 'ok',
      statusCode: 2000,
      released: pots(6000, 0),
      captured: pots(4000, 1000),
    })
  })

  test.each([
    ['aborted', isAborted],
    ['released', isReleased],
    ['partly captured and released', partlyReleased],
  ])('given it is %s, when that comes again at any time, then nothing happens', (_, history) => {
    given(...history)
      .when(release(authorizationEnds + threeDays))
      .thenNothing()
  })

  test.each([
    ['captured in full', full],
    ['declined', isDeclined],
    ['refused for want of funds', withoutFunds],
    ['failed for want of a payer', unknownPayer],
    ['expired', isExpired],
    ['expired after authorisation', authExpired],
    ['expired after a part was captured', partlyExpired],
  ])('given it is %s, when it is released, then it is refused', (_, history) => {
    given(...history)
      .when(release())
      .thenRefused('payment_is_not_releasable')
  })

  test('given the instant of expiry, when it is aborted or released, then it is refused', () => {
    given(...pending)
      .when(release(requestEnds))
      .thenRefused('payment_is_not_releasable')
    given(...auth)
      .when(release(authorizationEnds))
      .thenRefused('payment_is_not_releasable')
    given(...pending)
      .when(release(requestEnds - 1))
      .then(aborted)
    given(...auth)
      .when(release(authorizationEnds - 1))
      .then(released(10_000, 1000))
  })
})

describe('expiring', () => {
  test('given a request, when its end comes, then it fails with 5011, and not before', () => {
    given(...pending)
      .when(expire(requestEnds - 1))
      .thenNothing()
    given(...pending)
      .when(expire(requestEnds))
      .then(expired)
    given(...pending)
      .when(expire(requestEnds + threeDays))
      .then(expired)
    expect(given(...isExpired).state).toMatchObject({ status: 'fail', statusCode: 5011 })
  })

  test('given an authorisation, when its end comes, it is released and fails with 5012', () => {
    given(...auth)
      .when(expire(authorizationEnds - 1))
      .thenNothing()
    given(...auth)
      .when(expire(authorizationEnds))
      .then(authorizationExpired(10_000, 1000))
    expect(given(...authExpired).state).toMatchObject({
      status: 'fail',
      statusCode: 5012,
      released: pots(10_000, 1000),
    })
  })

  test('given a part captured, when the end comes, then the rest is released alone', () => {
    given(...partly)
      .when(expire(authorizationEnds))
      .then(authorizationExpired(6000, 0))
    expect(given(...partlyExpired).state).toMatchObject({
      status: 'fail',
      statusCode: 5012,
      captured: pots(4000, 1000),
      released: pots(6000, 0),
    })
  })

  test.each(ended)('given it is %s, when its end comes, then nothing happens', (_, history) => {
    given(...history)
      .when(expire(authorizationEnds + threeDays))
      .thenNothing()
  })
})
