import { statusCodes, type PaymentStatus } from '../domain/payment/status.ts'
import type { Instant } from '../domain/time.ts'
import type { PaymentRow } from './payment-table.ts'

export type PaymentWanted = {
  /** Null for every point of sale. */
  readonly posIds: readonly string[] | null
  readonly status: PaymentStatus | 'refunded' | null
  /** Requested at or after this time. */
  readonly since: Instant
  readonly before: Instant
  /** Minimum amount, without the addition. */
  readonly least: number
  readonly most: number
  readonly customerKey: string | null
  readonly order: 'newest' | 'largest'
}

export const everyPayment: PaymentWanted = {
  ...{ posIds: null, status: null, customerKey: null, order: 'newest' },
  ...{ since: 0, before: Number.MAX_SAFE_INTEGER, least: 0, most: Number.MAX_SAFE_INTEGER },
}

export type Fits = (row: PaymentRow) => boolean

/** Expiry takes effect at its instant, recorded or not (interface 4.5). */
export const statusCodeOf = (row: PaymentRow, at: Instant): number => {
  if (row.deadline === null || at < row.deadline) return row.statusCode
  return row.isWaiting ? statusCodes.REQUEST_EXPIRED : statusCodes.AUTH_EXPIRED
}

export const statusOf = (statusCode: number): PaymentStatus => {
  if (statusCode === statusCodes.PENDING) return 'pending'
  if (statusCode === statusCodes.AUTH) return 'auth'
  return statusCode === statusCodes.OK ? 'ok' : 'fail'
}

type Placed = Pick<PaymentRow, 'amount' | 'requestedAt' | 'requestedPosition'>

export const byNewest = (a: Placed, b: Placed): number =>
  b.requestedAt - a.requestedAt || b.requestedPosition - a.requestedPosition
export const byLargest = (a: Placed, b: Placed): number => b.amount - a.amount || byNewest(a, b)

export const fitting =
  ({ posIds, status, customerKey, since, before, least, most }: PaymentWanted, at: Instant): Fits =>
  (row) => {
    if (row.requestedAt < since || row.requestedAt >= before) return false
    if (row.amount < least || row.amount > most) return false
    if (posIds !== null && !posIds.includes(row.posId)) return false
    if (customerKey !== null && row.customerKey !== customerKey) return false
    if (status === null) return true
    return status === 'refunded' ? row.refunded > 0 : statusOf(statusCodeOf(row, at)) === status
  }

/** Whether an index contains little else than the matches. */
export const isNarrow = ({ posIds, status, customerKey }: PaymentWanted): boolean =>
  customerKey !== null || posIds !== null || (status !== null && status !== 'ok')
