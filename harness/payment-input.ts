let requests = 0

/** A payment request that the service accepts, each under a number of its own. */
export const paymentInput = (changes: Readonly<Record<string, unknown>> = {}) => ({
  pos_id: 'till-1',
  pos_tid: `test-${++requests}`,
  action: 'auth',
  currency: 'NOK',
  amount: '100.00',
  allow_credit: false,
  customer: '+4799999901',
  ...changes,
})
