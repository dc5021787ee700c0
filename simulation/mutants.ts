/** A fault of the kind that payment services have had, planted by replacing a text of a source. */
export type Mutant = {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
}

const capture = 'domain/payment/payment-actions.ts'
const evolve = 'domain/payment/payment-evolve.ts'
const settlement = 'domain/accounting/settlement.ts'
const moneyLines = 'domain/accounting/totals.ts'
const sending = 'domain/callback.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'a repeated capture_id captures again',
    file: capture,
    from: "if (repeated === 'same') return []",
    to: '',
  },
  {
    name: 'a capture_id with other amounts counts as repeated',
    file: capture,
    from: "return isSame(earlier) ? 'same' : 'other'",
    to: "return 'same'",
  },
  {
    name: 'a refund counts against what was authorised, not captured',
    file: capture,
    from: 'const left = refundable(payment)',
    to: 'const left = refundable({ ...payment, captured: payment.authorized })',
  },
  {
    name: 'of two refunds one is counted',
    file: evolve,
    from: 'refunded: plus(payment.refunded, data)',
    to: 'refunded: data',
  },
  {
    name: 'the additional amount may exceed what is left',
    file: capture,
    from: 'pots.amount > left.amount || pots.additionalAmount > left.additionalAmount',
    to: 'pots.amount > left.amount',
  },
  {
    name: 'one øre more than is left may be captured',
    file: capture,
    from: 'pots.amount > left.amount ||',
    to: 'pots.amount > left.amount + 1 ||',
  },
  {
    name: 'a capture at the instant of expiry is allowed',
    file: capture,
    from: "payment.status === 'auth') && at < payment.expiresAt",
    to: "payment.status === 'auth') && at <= payment.expiresAt",
  },
  {
    name: 'a partly captured payment that is released has failed',
    file: evolve,
    from: 'const isCaptured = payment.captures.length > 0',
    to: 'const isCaptured = false',
  },
  {
    name: 'a renewal does not move the deadline',
    file: evolve,
    from: '({ expiresAt, isRenewed: true, modifiedAt: at })',
    to: '({ isRenewed: true, modifiedAt: at })',
  },
  {
    name: 'what expires is not released',
    file: evolve,
    from: 'statusCodes.AUTH_EXPIRED, data.expiredAt),\n    released: plus(payment.released, data),',
    to: 'statusCodes.AUTH_EXPIRED, data.expiredAt),',
  },
  {
    name: 'reports leave out additional amounts',
    file: moneyLines,
    from: 'additionalAmount: addUp(before.additionalAmount, additionalAmount),',
    to: 'additionalAmount: before.additionalAmount,',
  },
  {
    name: 'the net of a report adds fees',
    file: moneyLines,
    from: 'Object.values(sums.fees).map(negated)',
    to: 'Object.values(sums.fees)',
  },
  {
    name: 'what a settlement falls short of is forgotten',
    file: settlement,
    from: 'const balance = addUp(before.fees, before.refunds, net)',
    to: 'const balance = addUp(before.fees, net)',
  },
  {
    name: 'a failed callback is not tried again',
    file: sending,
    from: "attempt.result === 'failed' && state.status !== 'delivered'",
    to: "attempt.result === 'gone' && state.status !== 'delivered'",
  },
  {
    name: 'a failed callback counts as delivered',
    file: sending,
    from: "const hasArrived = result === 'delivered'",
    to: "const hasArrived = result !== 'gone'",
  },
  {
    name: 'a movement that the bank did not take is not told again',
    file: 'application/inform-funding.ts',
    from: "for (const ended of works) if (ended.status === 'rejected') throw ended.reason",
    to: 'void works',
  },
  {
    name: 'a refusal from the cache counts without reading the log',
    file: 'application/handle.ts',
    from: 'let isFresh = before !== undefined && isStale(before)',
    to: 'let isFresh = true',
  },
  {
    name: 'a list tells nothing of a page but the first',
    file: 'projections/registers.ts',
    from: "lt(table.position, given('before'))],\n    order: [desc",
    to: "gt(table.position, given('before'))],\n    order: [desc",
  },
  {
    name: 'a merchant changes the payments of others',
    file: 'http/merchant/payment.ts',
    from: "if (payment.status === 'unrequested' || payment.request.merchant !== own)",
    to: "if (payment.status === 'unrequested')",
  },
  {
    name: 'the bank is told amounts without the additional amount',
    file: 'application/inform-funding.ts',
    from: 'const amount = data.amount + data.additionalAmount',
    to: 'const { amount } = data',
  },
]
