import type { PaymentDetails } from '../../domain/payment/payment-events.ts'
import { payment } from '../../domain/payment/payment.ts'
import { examplesOf } from './given.ts'
import { events } from './payments.ts'

const {
  requested,
  authorized,
  declined,
  failed,
  aborted,
  expired,
  captured,
  released,
  authorizationExpired,
} = events

export const given = examplesOf(payment)

export const amend = (changes: object, ledgerIsOpen = true) =>
  ({ type: 'AmendPayment', changes, ledgerIsOpen }) as const

export const amended = (changes: Partial<PaymentDetails>) =>
  ({ type: 'PaymentAmended', data: changes }) as const

export const pending = [requested()]

export const auth = [...pending, authorized()]

export const partly = [...auth, captured('a', 4000, 1000)]

export const full = [...auth, captured(null, 10_000, 1000)]

export const isReleased = [...auth, released(10_000, 1000)]

export const partlyReleased = [...partly, released(6000, 0)]

export const isAborted = [...pending, aborted]

export const isDeclined = [...pending, declined()]

export const isExpired = [...pending, expired]

export const authExpired = [...auth, authorizationExpired(10_000, 1000)]

export const partlyExpired = [...partly, authorizationExpired(6000, 0)]

export const withoutFunds = [...pending, failed(5007)]

export const unknownPayer = [requested({}, null), failed(4004)]

export const pots = (amount: number, additionalAmount: number) => ({ amount, additionalAmount })

/** Every final state in the table of interface 4. */
export const ended = [
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
