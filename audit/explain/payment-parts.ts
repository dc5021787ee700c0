import type { Charge } from '../../domain/accounting/charge.ts'
import { minus, nothing, type Pots } from '../../domain/money/pots.ts'
import {
  hasEffect,
  isRelease,
  type PaymentEvent,
  type PaymentRequest,
  type WithEffect,
} from '../../domain/payment/payment-events.ts'
import type { PaymentNumbers } from './payment-numbers.ts'

const negative = (pots: Pots): Pots => minus(nothing, pots)

const named = (name: string, { amount, additionalAmount }: Pots): PaymentNumbers => ({
  [`${name}amount`]: amount,
  [`${name}additional_amount`]: additionalAmount,
})

const charged = ({ fee, interchange, vat }: Charge): PaymentNumbers => ({
  transaction_fee: fee,
  interchange_fee: interchange,
  vat,
})

type Movement = Extract<PaymentEvent, { type: WithEffect<'funding'> }>

const isMovement = (event: PaymentEvent): event is Movement => hasEffect(event.type, 'funding')

/** What an event adds to each number, computed from its own data and not from the fold. */
export const partsOfEvent = (event: PaymentEvent, request: PaymentRequest): PaymentNumbers => {
  if (event.type === 'PaymentRequested') return named('', request)
  if (event.type === 'PaymentAuthorized') {
    const accepted = { ...request, additionalAmount: event.data.additionalAmount }
    return { ...named('', minus(accepted, request)), ...named('auth_', accepted) }
  }
  if (!isMovement(event)) return {}
  if (isRelease(event))
    return { ...named('auth_', negative(event.data)), ...named('released_', event.data) }
  const { type, data } = event
  switch (type) {
    case 'PaymentCaptured': {
      const auth = named('auth_', negative(data))
      return { ...auth, ...named('captured_', data), ...charged(data.charge) }
    }
    case 'PaymentRefunded':
      return { ...named('refunded_', data), ...charged(data.charge) }
  }
}
