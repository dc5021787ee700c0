import { describe, expect, test } from 'vitest'
import type { PaymentDetails } from '../../domain/payment/payment-events.ts'
import { available } from '../../domain/payment/payment-state.ts'
import { maxParts } from '../../domain/payment/payment-capture.ts'
import { payment } from '../../domain/payment/payment.ts'
import { examplesOf } from './given.ts'
import {
  authorizationEnds,
  commands,
  events,
  hours,
  lineItem,
  morning,
  part,
  request,
  requestEnds,
  threeDays,
} from './payments.ts'

const given = examplesOf(payment)
const { ask, accept, decline, refuseFunds, capture, release, renew, refund, expire } = commands
const {
  requested,
  authorized,
  declined,
  failed,
  aborted,
  expired,
  captured,
  released,
  renewed,
  authorizationExpired,
  refunded,
} = events

const amend = (changes: object, ledgerIsOpen = true) =>
  ({ type: 'AmendPayment', changes, ledgerIsOpen }) as const
const amended = (changes: Partial<PaymentDetails>) =>
  ({ type: 'PaymentAmended', data: changes }) as const

const pending = [requested()]
const auth = [...pending, authorized()]
const partly = [...auth, captured('a', 4000, 1000)]
const full = [...auth, captured(null, 10_000, 1000)]
const isReleased = [...auth, released(10_000, 1000)]
const partlyReleased = [...partly, released(6000, 0)]
const isAborted = [...pending, aborted]
const isDeclined = [...pending, declined()]
const isExpired = [...pending, expired]
const authExpired = [...auth, authorizationExpired(10_000, 1000)]
const partlyExpired = [...partly, authorizationExpired(6000, 0)]
const withoutFunds = [...pending, failed(5007)]
const unknownPayer = [requested({}, null), failed(4004)]

const pots = (amount: number, additionalAmount: number) => ({ amount, additionalAmount })

/** Every state of the table of interface 4 in which nothing more can become of the request. */
const ended = [
  ['captured in full', full],
  ['released', isReleased],
  ['partly captured and released', partlyReleased],
  ['aborted', isAborted],
  ['declined', isDeclined],
  ['refused for want of funds', withoutFunds],
  ['failed for want of a payer', unknownPayer],
  ['expired', isExpired],
  ['expired after authorisation', authExpired],
  ['expired after a part was captured', partlyExpired],
] as const

describe('asking for a payment', () => {
  test('given nothing, when it is asked for, then it is requested until a whole second', () => {
    given().when(ask()).then(requested())
  })

  test('given nothing, when no customer is named, then anyone may pay it', () => {
    given()
      .when(ask({ customer: null }, { payer: 'anyone' }))
      .then(requested({ customer: null }, null))
  })

  test('given nothing, when the customer is no payer, then it is requested and fails with 4004', () => {
    given()
      .when(ask({}, { payer: 'unknown' }))
      .then(...unknownPayer)
    expect(given(...unknownPayer).state).toMatchObject({ status: 'fail', statusCode: 4004 })
  })

  test('given nothing, when the POS is unknown, then it is refused', () => {
    given()
      .when(ask({}, { posIsKnown: false }))
      .thenRefused('pos_is_unknown')
  })

  test('given nothing, when the ledger is unknown, then it is refused', () => {
    given()
      .when(ask({}, { ledgerIsOpen: false }))
      .thenRefused('ledger_is_unknown')
  })

  test('given nothing, when the line items add up to the amount, then it is requested', () => {
    const lineItems = [lineItem(2500), lineItem(7500)]
    given().when(ask({ lineItems })).then(requested({ lineItems }))
  })

  test.each([[9999], [10_001], [0]])(
    'given nothing, when the one line item costs %i, then it is refused: the amount is 10000',
    (total) => {
      given()
        .when(ask({ lineItems: [lineItem(total)] }))
        .thenRefused('line_items_do_not_add_up')
    },
  )

  test('given the request, when it is asked for again, then nothing happens, whatever became of POS and ledger', () => {
    given(...pending)
      .when(ask({}, { posIsKnown: false, ledgerIsOpen: false, payer: 'unknown' }, morning + hours))
      .thenNothing()
  })

  test.each([
    ['amount', { amount: 9999 }],
    ['currency', { currency: 'SEK' }],
    ['text', { text: null }],
    ['customer', { customer: null }],
    ['line items', { lineItems: [lineItem(10_000)] }],
    ['callback address', { callbackUri: null }],
  ])(
    'given the request, when its pos_tid comes with another %s, then it is refused',
    (_, changes) => {
      given(...pending)
        .when(ask(changes))
        .thenRefused('pos_tid_used_with_other_data')
    },
  )

  test('given an amendment, when the request is repeated as it was, then nothing happens', () => {
    given(...pending, amended({ callbackUri: null }))
      .when(ask())
      .thenNothing()
  })

  test('given an amendment, when the request is repeated as amended, then it is refused', () => {
    given(...pending, amended({ callbackUri: null }))
      .when(ask({ callbackUri: null }))
      .thenRefused('pos_tid_used_with_other_data')
  })

  test.each(ended)(
    'given it is %s, when it is asked for again, then nothing happens',
    (_, history) => {
      const { state } = given(...history)
      const first = state.status === 'unrequested' ? request : state.request
      given(...history)
        .when(ask(first))
        .thenNothing()
    },
  )
})

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

  test('given a tip that may be edited, when the payer gives another, then that is authorised', () => {
    const editable = requested({ additionalEdit: true })
    const another = authorized({ additionalAmount: 2500 })
    given(editable)
      .when(accept({ additionalAmount: 2500 }))
      .then(another)
    given(editable)
      .when(accept({ additionalAmount: 0 }))
      .then(authorized({ additionalAmount: 0 }))
    expect(given(editable, another).state).toMatchObject({ authorized: pots(10_000, 2500) })
  })

  test('given a tip that may not be edited, when the payer gives another, then it is refused', () => {
    given(...pending)
      .when(accept({ additionalAmount: 2500 }))
      .thenRefused('additional_amount_is_not_editable')
    given(...pending)
      .when(accept({ additionalAmount: 1000 }))
      .then(authorized())
  })

  describe('given 100.00 and a tip that may be edited', () => {
    const editable = requested({ additionalEdit: true })

    test('when the payer gives as much as the amount, then it needs no confirmation', () => {
      given(editable)
        .when(accept({ additionalAmount: 10_000 }))
        .then(authorized({ additionalAmount: 10_000 }))
    })

    test('when the payer gives more than the amount, then it needs a confirmation', () => {
      given(editable)
        .when(accept({ additionalAmount: 10_001 }))
        .thenRefused('additional_amount_is_not_confirmed')
      given(editable)
        .when(accept({ additionalAmount: 10_001, isConfirmed: true }))
        .then(authorized({ additionalAmount: 10_001 }))
    })

    test('when the payer gives more than ten times the amount, then no confirmation helps', () => {
      given(editable)
        .when(accept({ additionalAmount: 100_000, isConfirmed: true }))
        .then(authorized({ additionalAmount: 100_000 }))
      given(editable)
        .when(accept({ additionalAmount: 100_001, isConfirmed: true }))
        .thenRefused('additional_amount_is_too_high')
    })

    test('when the payer leaves what the shop asked for, then it needs no confirmation', () => {
      const asked = requested({ additionalEdit: true, additionalAmount: 200_000 })
      given(asked)
        .when(accept())
        .then(authorized({ additionalAmount: 200_000 }))
      given(asked)
        .when(accept({ additionalAmount: 200_000 }))
        .then(authorized({ additionalAmount: 200_000 }))
    })
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

  test('given the last millisecond before expiry, when the payer accepts, then it is authorised', () => {
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

  test('given parts that leave nothing in either pot, then it is ok; while one pot holds something, it is not', () => {
    const amountOnly = [...auth, captured('a', 10_000, 0)]
    expect(given(...amountOnly).state.status).toBe('auth')
    expect(given(...auth, captured('a', 0, 1000)).state.status).toBe('auth')
    given(...amountOnly)
      .when(capture(part('b', 0, 1000)))
      .then(captured('b', 0, 1000))
    expect(given(...amountOnly, captured('b', 0, 1000)).state.status).toBe('ok')
  })

  test('given an authorisation, when the capture comes in the last millisecond, then it counts', () => {
    given(...auth)
      .when(capture(part('a', 1), authorizationEnds - 1))
      .then(captured('a', 1))
  })

  test('given the very instant of expiry, when all or a part is captured, then it is refused', () => {
    for (const wanted of [part('b', 1), 'everything'] as const)
      given(...partly)
        .when(capture(wanted, authorizationEnds))
        .thenRefused('payment_is_not_authorized')
  })

  test('given a request that the payer has not answered, when it is captured, then it is refused', () => {
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

  test('given a refund under an id, when a capture has the same id, then they are two things', () => {
    given(...partly, refunded('b', 1))
      .when(capture(part('b', 2)))
      .then(captured('b', 2))
  })
})

describe('releasing and aborting', () => {
  test('given a request, when the merchant aborts, then it fails with 4019', () => {
    given(...pending)
      .when(release())
      .then(aborted)
    expect(given(...isAborted).state).toMatchObject({ status: 'fail', statusCode: 4019 })
  })

  test('given an authorisation, when it is released, then both pots are dropped and it fails with 4019', () => {
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

  test('given the very instant of expiry, when it is aborted or released, then it is refused', () => {
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

describe('renewing', () => {
  const until = authorizationEnds + 5 * hours

  test('given an authorisation, when it is renewed, then it lasts three days from now, in whole seconds', () => {
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

  test('given the second of the authorisation, when it is renewed, then it is a renewal too, once', () => {
    given(...auth)
      .when(renew(authorizationEnds - threeDays))
      .then(renewed(authorizationEnds))
    given(...auth, renewed(authorizationEnds))
      .when(renew(authorizationEnds - threeDays))
      .thenNothing()
  })

  test('given an authorisation, when another node’s clock is a little behind, then a renewal does not shorten it', () => {
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

  test('given a renewal, when another node’s clock is a little behind, then nothing is shortened', () => {
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

describe('refunding', () => {
  test('given a capture, when all is refunded, then it is what was captured, and the status stays', () => {
    given(...full)
      .when(refund('everything', 'Cold soup'))
      .then(refunded(null, 10_000, 1000, 'Cold soup'))
    expect(given(...full, refunded(null, 10_000, 1000)).state).toMatchObject({
      status: 'ok',
      statusCode: 2000,
      refunded: pots(10_000, 1000),
    })
  })

  test('given a part captured and refunded, then it stays authorised and the rest can be captured', () => {
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

  test('given that all was refunded in parts, when all that is left is refunded, then it is refused', () => {
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

  test('given a refund, when it comes again, even with another reason, then nothing happens', () => {
    given(...full, refunded('r', 3000, 500, 'Cold soup'))
      .when(refund(part('r', 3000, 500), 'No spoon'))
      .thenNothing()
    given(...full, refunded(null, 10_000, 1000))
      .when(refund('everything'))
      .thenNothing()
  })

  test('given that all was refunded and more captured since, when all is refunded, then it is what came since', () => {
    const history = [...partly, refunded(null, 4000, 1000), captured('b', 6000)]
    given(...history)
      .when(refund('everything'))
      .then(refunded(null, 6000, 0))
    given(...history, refunded(null, 6000, 0))
      .when(refund('everything'))
      .thenNothing()
  })
})

describe('expiring', () => {
  test('given a request, when its end comes, then it fails with 5011, and no millisecond before', () => {
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

  test('given an authorisation, when its end comes, then all is released and it fails with 5012', () => {
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

  test('given a part captured, when the end comes, then the rest is released, it fails with 5012, and the capture stands', () => {
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

describe('amending', () => {
  const changes = {
    callbackUri: 'https://shop.example/other',
    displayMessageUri: 'https://shop.example/display',
    links: [{ uri: 'https://shop.example/menu', caption: 'Menu', showOn: ['ok' as const] }],
    lineItems: [lineItem(10_000)],
  }

  test('given a request, when details are changed, then they are, and the others stay', () => {
    given(...pending)
      .when(amend(changes))
      .then(amended(changes))
    given(...pending, amended(changes))
      .when(amend({ ...changes, callbackUri: null }))
      .then(amended({ callbackUri: null }))
    const { ledger, callbackUri: _, ...others } = { ledger: request.ledger, ...changes }
    expect(given(...pending, amended(changes), amended({ callbackUri: null })).state).toMatchObject(
      { details: { ledger, callbackUri: null, ...others }, request },
    )
  })

  test.each(ended)('given it is %s, when details are changed, then they are', (_, history) => {
    const callbackUri = 'https://shop.example/other'
    const { state } = given(...history)
    given(...history)
      .when(amend({ callbackUri }))
      .then(amended({ callbackUri }))
    expect(given(...history, amended({ callbackUri })).state.status).toBe(state.status)
  })

  test('given an amendment, when it comes again or changes nothing, then nothing happens', () => {
    given(...pending, amended(changes))
      .when(amend(changes))
      .thenNothing()
    given(...pending)
      .when(amend({ ledger: 'default' }, false))
      .thenNothing()
    given(...pending)
      .when(amend({}))
      .thenNothing()
  })

  test('given an unknown ledger, when it is named, then it is refused; an old one stays', () => {
    given(...pending)
      .when(amend({ ledger: 'other' }, false))
      .thenRefused('ledger_is_unknown')
    given(...pending)
      .when(amend({ ledger: 'other' }))
      .then(amended({ ledger: 'other' }))
    given(...pending)
      .when(amend({ ledger: 'default', callbackUri: null }, false))
      .then(amended({ callbackUri: null }))
  })

  test('given a request, when line items do not add up to the amount, then they are refused', () => {
    given(...pending)
      .when(amend({ lineItems: [lineItem(9000), lineItem(999)] }))
      .thenRefused('line_items_do_not_add_up')
  })

  test('given amendments that are large together, when another comes, then it is refused; what asks for nothing new is not', () => {
    const much = (id: number) => {
      const item = { ...lineItem(10_000), description: `${id} ${'x'.repeat(500_000)}` }
      return { lineItems: [item] }
    }
    const sixteen = Array.from({ length: 16 }, (_, id) => amended(much(id)))
    given(...pending, ...sixteen.slice(0, 15))
      .when(amend(much(15)))
      .then(amended(much(15)))
    given(...pending, ...sixteen)
      .when(amend(much(16)))
      .thenRefused('payment_is_amended_too_much')
    given(...pending, ...sixteen)
      .when(amend(much(15)))
      .thenNothing()
  })

  test.each([
    ['authorised', auth],
    ['captured', full],
    ['declined', isDeclined],
    ['refused for want of funds', withoutFunds],
    ['expired after authorisation', authExpired],
  ])('given it is %s, when line items or links are changed, then they stay', (_, history) => {
    const { lineItems, links } = changes
    for (const change of [{ lineItems }, { links }, { links, callbackUri: null }])
      given(...history)
        .when(amend(change))
        .thenRefused('payment_is_answered')
    given(...history)
      .when(amend({ lineItems: [], links: [], callbackUri: null }))
      .then(amended({ callbackUri: null }))
  })

  test.each([
    ['aborted', isAborted],
    ['expired', isExpired],
    ['failed for want of a payer', unknownPayer],
  ])('given it is %s, when links are changed, then they are: nobody answered', (_, history) => {
    const { links } = changes
    given(...history)
      .when(amend({ links }))
      .then(amended({ links }))
  })

  test('given line items of -25.00 and 125.00, when they are given, then they add up', () => {
    const lineItems = [lineItem(12_500), lineItem(-2500)]
    given(...pending)
      .when(amend({ lineItems }))
      .then(amended({ lineItems }))
  })

  test('given line items whose inexact sum is the amount, when they are given, then they are refused', () => {
    const large = 99_999_999_999_999
    const lineItems = [
      ...Array.from({ length: 200 }, () => lineItem(large)),
      lineItem(10_001),
      ...Array.from({ length: 200 }, () => lineItem(-large)),
    ]
    given(...pending)
      .when(amend({ lineItems }))
      .thenRefused('line_items_do_not_add_up')
  })

  test('given line items, when they are taken away, then they are', () => {
    given(requested({ lineItems: [lineItem(10_000)] }))
      .when(amend({ lineItems: [] }))
      .then(amended({ lineItems: [] }))
  })
})

describe('both pots', () => {
  test('given any of these histories, what was authorised is captured, released or available', () => {
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

describe('a payment that nobody asked for', () => {
  test.each([
    ['amended', amend({})],
    ['accepted', accept()],
    ['declined', decline()],
    ['refused for want of funds', refuseFunds()],
    ['captured', capture('everything')],
    ['released', release()],
    ['renewed', renew()],
    ['refunded', refund('everything')],
    ['expired', expire(morning)],
  ])('cannot be %s', (_, command) => {
    given().when(command).thenRefused('resource_is_unknown')
  })

  test('stays unrequested, whatever events are read', () => {
    expect(given(captured('a', 1), authorized()).state).toEqual({ status: 'unrequested' })
  })
})

describe('a payment of ten thousand captures', () => {
  const many = Array.from({ length: maxParts }, (_, number) => number)
  const large = [requested({ amount: 1_000_000 }), authorized()]
  const captures = many.map((number) => captured(`c${number}`, 10, 0))
  const history = [...large, ...captures]

  test('takes no further one, whatever its id, and what is left can be released', () => {
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
