import { describe, expect, test } from 'vitest'
import {
  authorizationEnds,
  commands,
  events,
  hours,
  morning,
  requestEnds,
  threeDays,
} from './payments.ts'
import {
  given,
  pending,
  auth,
  partly,
  full,
  isReleased,
  isAborted,
  isDeclined,
  isExpired,
  authExpired,
  withoutFunds,
  unknownPayer,
  pots,
} from './payment-examples.ts'

const { accept, decline, refuseFunds } = commands

const { requested, authorized, declined, failed } = events

describe('the payer’s answer', () => {
  test('given the request, when the payer accepts, then it is authorised for three days', () => {
    given(...pending)
      .when(accept())
      .then(authorized())
    expect(given(...auth).state).toMatchObject({
      status: 'auth',
      statusCode: 3008,
      payer: 'alice',
      authorized: pots(10_000, 1000),
      expiresAt: authorizationEnds,
    })
  })

  test('given a request for anyone, when bob accepts, then it is his', () => {
    given(requested({}, null))
      .when(accept({ payer: 'bob' }))
      .then(authorized({ payer: 'bob' }))
    given(requested({}, null), authorized({ payer: 'bob' }))
      .when(accept())
      .thenRefused('payment_is_for_another_payer')
  })

  test('given a request for alice, when bob accepts or declines, then he is refused', () => {
    given(...pending)
      .when(accept({ payer: 'bob' }))
      .thenRefused('payment_is_for_another_payer')
    given(...pending)
      .when(decline('bob'))
      .thenRefused('payment_is_for_another_payer')
  })

  test('given that credit is allowed, when the payer takes it, then that is remembered', () => {
    given(requested({ allowCredit: true }))
      .when(accept({ credit: true }))
      .then(authorized({ credit: true }))
    given(requested({ allowCredit: true }))
      .when(accept())
      .then(authorized())
  })

  test('given that credit is not allowed, when the payer takes it, then it is refused', () => {
    given(...pending)
      .when(accept({ credit: true }))
      .thenRefused('credit_is_not_allowed')
  })

  test('given the request, when the payer declines, then it fails with 5006', () => {
    given(...pending)
      .when(decline())
      .then(declined())
    expect(given(...isDeclined).state).toMatchObject({ status: 'fail', statusCode: 5006 })
  })

  test.each([5007, 5008] as const)(
    'given the request, when the funds are refused, then it fails with %i',
    (statusCode) => {
      given(...pending)
        .when(refuseFunds(statusCode))
        .then(failed(statusCode))
      expect(given(...pending, failed(statusCode)).state).toMatchObject({
        status: 'fail',
        statusCode,
      })
    },
  )

  test('given the very instant of expiry, when the payer answers, then it is too late', () => {
    for (const answer of [
      accept({}, requestEnds),
      decline('alice', requestEnds),
      refuseFunds(5007, requestEnds),
    ])
      given(...pending)
        .when(answer)
        .thenRefused('payment_is_expired')
  })

  test('given the last millisecond, when the payer accepts, then it is authorised', () => {
    given(...pending)
      .when(accept({}, requestEnds - 1))
      .then(authorized({ expiresAt: requestEnds - 1000 + threeDays }))
  })

  test('given an answer, when it comes again at any time, then nothing happens', () => {
    const late = morning + 1000 * hours
    for (const history of [auth, partly, full, isReleased, authExpired])
      given(...history)
        .when(accept({}, late))
        .thenNothing()
    given(...isDeclined)
      .when(decline('alice', late))
      .thenNothing()
    given(...withoutFunds)
      .when(refuseFunds(5007, late))
      .thenNothing()
  })

  test('given an answer, when another one comes, then it is refused', () => {
    given(...auth)
      .when(decline())
      .thenRefused('payment_is_not_pending')
    given(...auth)
      .when(refuseFunds())
      .thenRefused('payment_is_not_pending')
    given(requested({ additionalEdit: true }), authorized())
      .when(accept({ additionalAmount: 5 }))
      .thenRefused('payment_is_not_pending')
    given(...withoutFunds)
      .when(refuseFunds(5008))
      .thenRefused('payment_is_not_pending')
  })

  test.each([
    ['aborted', isAborted, 'payment_is_not_pending'],
    ['expired', isExpired, 'payment_is_expired'],
    ['failed for want of a payer', unknownPayer, 'payment_is_not_pending'],
  ] as const)('given it is %s, when the payer answers, then that is why', (_, history, why) => {
    for (const answer of [accept(), decline(), refuseFunds()])
      given(...history)
        .when(answer)
        .thenRefused(why)
  })
})
