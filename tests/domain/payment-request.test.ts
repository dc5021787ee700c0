import { describe, expect, test } from 'vitest'
import { commands, events, hours, lineItem, morning, request } from './payments.ts'
import { given, amend, amended, pending, unknownPayer, ended } from './payment-examples.ts'

const { ask, accept, decline, refuseFunds, capture, release, renew, refund, expire } = commands

const { requested, authorized, captured } = events

describe('asking for a payment', () => {
  test('given nothing, when it is requested, then its deadline is a whole second', () => {
    given().when(ask()).then(requested())
  })

  test('given nothing, when no customer is named, then anyone may pay it', () => {
    given()
      .when(ask({ customer: null }, { payer: 'anyone' }))
      .then(requested({ customer: null }, null))
  })

  test('given nothing, when the customer is not a payer, then it fails with 4004', () => {
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

  test('given the request, when it comes again, then nothing happens, whatever its POS', () => {
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

describe('a payment that was never requested', () => {
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
