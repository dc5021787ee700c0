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
    from: "lt(table.position, param('before'))],\n    order: [desc",
    to: "gt(table.position, param('before'))],\n    order: [desc",
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
  {
    name: 'a page of lines skips one behind its cursor',
    file: 'projections/transactions.ts',
    from: '(behind?.position ?? 0) - 1, before: end + 1',
    to: '(behind?.position ?? -1) + 1, before: end + 1',
  },
  {
    name: 'a page of lines begins with the last one of the page before',
    file: 'projections/transactions.ts',
    from: "(way === 'asc' ? isBefore(behind, row) : isBefore(row, behind))",
    to: 'true',
  },
  {
    name: 'failed payments are found once their expiry is recorded',
    file: 'projections/payment-search.ts',
    from: 'return failedSource(lists, merchant, since, at)',
    to: 'return (range) => lists.failed(merchant, within(range))',
  },
  {
    name: 'more than was captured can be disputed',
    file: 'domain/payment/dispute.ts',
    from: 'gross < 1 || gross > grossOf(left)',
    to: 'gross < 1',
  },
  {
    name: 'what is disputed can be refunded',
    file: 'domain/payment/payment-state.ts',
    from: 'minus(minus(captured, refunded), disputed)',
    to: 'minus(captured, refunded)',
  },
  {
    name: 'a dispute that is won gives back its amount alone',
    file: 'domain/payment/dispute.ts',
    from: 'const data = { dispute: number, amount, additionalAmount, charge }',
    to: 'const data = { dispute: number, amount, additionalAmount: 0, charge }',
  },
  {
    name: 'who proposes a correction may approve it',
    file: 'domain/accounting/correction.ts',
    from: "if (by === state.by) return refuse('second_person_is_needed')",
    to: '',
  },
  {
    name: 'a replay ends before its last message',
    file: 'application/feed-destinations.ts',
    from: 'const until = Math.max(place ?? -1,',
    to: 'const until = Math.max((place ?? 0) - 2,',
  },
  {
    name: 'an event destination gets messages that are not for it',
    file: 'application/feed-destinations.ts',
    from: 'isFor(data, event, () => subjectOf(subject))',
    to: "isFor({ ...data, events: ['*'] }, event, () => subjectOf(subject))",
  },
  {
    name: 'a link sells one more than there are',
    file: 'domain/merchant/offer.ts',
    from: 'Math.max(0, stock - held)',
    to: 'Math.max(0, stock - held + 1)',
  },
  {
    name: 'what a payer of a link declines is not given back',
    file: 'projections/offers.ts',
    from: "    'PaymentDeclined',\n    'PaymentFailed',",
    to: "    'PaymentFailed',",
  },
  {
    name: 'a link is sold on after its last day',
    file: 'domain/merchant/offer.ts',
    from: 'until !== null && at >= until',
    to: 'until !== null && at >= until + 86_400_000',
  },
  {
    name: 'a commit that fails is acknowledged',
    file: 'infrastructure/event-store/sqlite-event-writer.ts',
    from: '      commit.run()\n',
    to: '      try { commit.run() } catch { if (database.inTransaction) rollback.run() }\n',
  },
  {
    name: 'rows of a failed commit stay in the transaction',
    file: 'infrastructure/event-store/sqlite-event-writer.ts',
    from: 'if (database.inTransaction) rollback.run()',
    to: '',
  },
]
