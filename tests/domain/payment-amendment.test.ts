import { describe, expect, test } from 'vitest'
import { events, lineItem, request } from './payments.ts'
import {
  given,
  amend,
  amended,
  pending,
  auth,
  full,
  isAborted,
  isDeclined,
  isExpired,
  authExpired,
  withoutFunds,
  unknownPayer,
  ended,
} from './payment-examples.ts'

const { requested } = events

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

  test('given a request, when line items do not add up to it, then they are refused', () => {
    given(...pending)
      .when(amend({ lineItems: [lineItem(9000), lineItem(999)] }))
      .thenRefused('line_items_do_not_add_up')
  })

  test('given large amendments, when another comes, it is refused unless it says nothing', () => {
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

  test('given line items whose inexact sum is the amount, then they are refused', () => {
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
