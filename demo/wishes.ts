/** What the till asks of a payment that was accepted, as the interface words it. */

export const part = (id: string, amount: string, more: object = {}) => ({
  action: 'capture',
  capture_id: id,
  amount,
  currency: 'NOK',
  ...more,
})

export const refund = (id: string, amount: string, text: string, more: object = {}) => ({
  action: 'refund',
  refund_id: id,
  amount,
  currency: 'NOK',
  text,
  ...more,
})

export const capture = { action: 'capture' }
export const release = { action: 'release' }
