import { describe, expect, test } from 'vitest'
import { type Charge, noFees, type FeeTerms } from '../../domain/accounting/fees.ts'
import type { PaymentCommand, RequestedAmounts } from '../../domain/payment/payment-command.ts'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'
import { payment } from '../../domain/payment/payment.ts'
import type { Permissions } from '../../domain/people/grant.ts'
import { examplesOf } from './given.ts'
import { commands, events, morning, part } from './payments.ts'

const given = examplesOf(payment)

const { requested, authorized } = events

/** 1 % and 2.00 for each capture, 2 % interchange for credit; refunds return their share. */
const terms: FeeTerms = {
  ...noFees,
  transactionRate: '0.01',
  transactionFixed: 200,
  interchangeRate: '0.02',
  refundsReturnFees: true,
}

const charged = (fee: number, interchange: number): Charge => ({
  fee,
  interchange,
  vat: 0,
  taxcode: noFees.taxcode,
})

const captured = (id: string, amount: number, charge: Charge): PaymentEvent => ({
  type: 'PaymentCaptured',
  data: { captureId: id, amount, additionalAmount: 0, charge },
})

const refunded = (
  id: string | null,
  amount: number,
  charge: Charge,
  returnsFees = true,
): PaymentEvent => ({
  type: 'PaymentRefunded',
  data: { refundId: id, amount, additionalAmount: 0, text: null, charge, returnsFees },
})

const capture = (wanted: RequestedAmounts): PaymentCommand => ({
  type: 'CapturePayment',
  at: morning,
  wanted,
  terms,
})

const refund = (wanted: RequestedAmounts): PaymentCommand => ({
  type: 'RefundPayment',
  wanted,
  text: null,
  terms,
})

const accept = {
  type: 'AuthorizePayment',
  at: morning,
  payer: 'alice',
  additionalAmount: 0,
  credit: false,
} as const

const asked = requested({ additionalAmount: 0, allowCredit: true })

const onDebit = [asked, authorized({ additionalAmount: 0 })]

const onCredit = [asked, authorized({ additionalAmount: 0, credit: true })]

describe('the charge of a capture', () => {
  test('has interchange only when the payer chose credit', () => {
    given(...onDebit)
      .when(capture(part('a', 4000)))
      .then(captured('a', 4000, charged(240, 0)))
    given(...onCredit)
      .when(capture(part('a', 4000)))
      .then(captured('a', 4000, charged(240, 80)))
  })
})

describe('the charge of a refund', () => {
  const bothParts = [
    ...onCredit,
    captured('a', 4000, { ...charged(240, 80), vat: 60 }),
    captured('b', 6000, { ...charged(260, 120), vat: 65 }),
  ]

  test('gives back as much of all that was charged as is refunded of all that was captured', () => {
    given(...bothParts)
      .when(refund(part('back', 2500)))
      .then(refunded('back', 2500, { ...charged(-125, -50), vat: -31 }))
  })

  test('leaves what was given back before, so that all refunds together leave nothing', () => {
    const first = refunded('back', 2500, { ...charged(-125, -50), vat: -31 })
    given(...bothParts, first)
      .when(refund('everything'))
      .then(refunded(null, 7500, { ...charged(-375, -150), vat: -94 }))
  })

  test('gives nothing back where the terms do not say so', () => {
    given(...bothParts)
      .when(commands.refund('everything'))
      .then(refunded(null, 10_000, { ...charged(0, 0), vat: 0 }, false))
  })

  test('gives back its own part only, when the terms of one before it gave nothing back', () => {
    const before = refunded('kept', 2500, { ...charged(0, 0), vat: 0 }, false)
    const back = refunded('back', 2500, { ...charged(-125, -50), vat: -31 })
    given(...bothParts, before)
      .when(refund(part('back', 2500)))
      .then(back)
    given(...bothParts, before, back)
      .when(refund('everything'))
      .then(refunded(null, 5000, { ...charged(-250, -100), vat: -63 }))
  })
})

describe('the permissions that come with a payment', () => {
  const tokens = { accessHash: 'a', refreshHash: 'r', issuedAt: morning, expiresAt: morning + 1 }
  const permissions: Permissions = { scope: ['phone'], tokens }

  test('are granted when it is accepted, with the tokens that were made for them', () => {
    given(asked)
      .when({ ...accept, permissions })
      .then(authorized({ additionalAmount: 0, permissions }))
  })

  test('given them, then they stay with it, whatever is captured', () => {
    const granted = authorized({ additionalAmount: 0, permissions })
    expect(given(requested(), granted).state).toMatchObject({ permissions })
    const first = captured('a', 100, charged(0, 0))
    expect(given(requested(), granted, first).state).toMatchObject({ permissions })
  })

  test('are none where none were asked for', () => {
    given(asked)
      .when(accept)
      .then(authorized({ additionalAmount: 0 }))
  })
})
