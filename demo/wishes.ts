import type { PaymentUpdate } from '../client/index.ts'

/** What the till asks of a payment that was accepted. */
export const part = (id: string, amount: string, more: PaymentUpdate = {}): PaymentUpdate => ({
  action: 'capture',
  capture_id: id,
  amount,
  currency: 'NOK',
  ...more,
})

export const refund = (
  id: string,
  amount: string,
  text: string,
  more: PaymentUpdate = {},
): PaymentUpdate => ({
  action: 'refund',
  refund_id: id,
  amount,
  currency: 'NOK',
  text,
  ...more,
})

export const capture = { action: 'capture' } as const
export const release = { action: 'release' } as const
