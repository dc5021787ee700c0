import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Permissions } from '../domain/grant.ts'
import type { MinorUnits } from '../domain/money.ts'
import type { PaymentEvent } from '../domain/payment-events.ts'
import { nothing, potsOf, type Pots } from '../domain/pots.ts'
import { statusCodes, type PaymentStatus } from '../domain/status.ts'
import type { Instant } from '../domain/time.ts'

/** Fees and interchange are what it cost the merchant, without VAT; on refunds zero or below. */
export type CaptureRow = Pots & {
  readonly id: string | null
  readonly at: Instant
  readonly fee: MinorUnits
  readonly interchange: MinorUnits
}
export type RefundRow = CaptureRow & { readonly text: string | null }

/** What has become of each payment; all amounts in minor units of its currency. */
export const paymentOutcomes = sqliteTable(
  'payment_outcomes',
  {
    tid: text().primaryKey(),
    merchant: text().notNull(),
    posId: text().notNull(),
    posTid: text().notNull(),
    customer: text(),
    /** Who answered. */
    payer: text(),
    /** Granted along with the authorisation. */
    permissions: text({ mode: 'json' }).$type<Permissions>(),
    currency: text().notNull(),
    ledger: text().notNull(),
    callbackUri: text(),
    displayMessageUri: text(),
    status: text().$type<PaymentStatus>().notNull(),
    statusCode: integer().notNull(),
    amount: integer().notNull(),
    additionalAmount: integer().notNull(),
    credit: integer({ mode: 'boolean' }).notNull(),
    /** Authorised and not yet captured or released. */
    available: text({ mode: 'json' }).$type<Pots>().notNull(),
    released: text({ mode: 'json' }).$type<Pots>().notNull(),
    captures: text({ mode: 'json' }).$type<readonly CaptureRow[]>().notNull(),
    refunds: text({ mode: 'json' }).$type<readonly RefundRow[]>().notNull(),
    modifiedAt: integer().notNull(),
    /** End of the current status, or of the last one that could end. */
    expiresAt: integer().notNull(),
    /** `expiresAt` while the payment can still expire, else null. */
    deadline: integer(),
    /** Number of the last callback message; the next one has the next number. */
    seqno: integer().notNull(),
    /** Position of its latest line in the log, and the ledger that the line stands in: they name its report. */
    linePosition: integer().notNull(),
    lineLedger: text().notNull(),
    /** Of the last event of its stream that is folded in. */
    revision: integer().notNull(),
  },
  (row) => [index('payment_outcomes_by_deadline').on(row.deadline)],
)

export type PaymentOutcome = typeof paymentOutcomes.$inferSelect

export const tidOf = (stream: string): string => stream.slice('payment-'.length)

const ended = (
  row: PaymentOutcome,
  status: 'ok' | 'fail',
  statusCode: number,
  modifiedAt: Instant,
): PaymentOutcome => {
  const { available } = row
  const released = {
    amount: row.released.amount + available.amount,
    additionalAmount: row.released.additionalAmount + available.additionalAmount,
  }
  return {
    ...row,
    status,
    statusCode,
    available: nothing,
    released,
    deadline: null,
    // Between the deadline and its record, a refund or an amendment may have come.
    modifiedAt: Math.max(row.modifiedAt, modifiedAt),
  }
}

const less = (a: Pots, b: Pots): Pots => ({
  amount: a.amount - b.amount,
  additionalAmount: a.additionalAmount - b.additionalAmount,
})

/** At `now >= date_expires` every read says so, whether or not the expiry has been recorded yet (decisions 4). */
export const asOf = (now: Instant, row: PaymentOutcome): PaymentOutcome => {
  if (row.deadline === null || now < row.deadline) return row
  const { REQUEST_EXPIRED, AUTH_EXPIRED } = statusCodes
  return ended(row, 'fail', row.status === 'auth' ? AUTH_EXPIRED : REQUEST_EXPIRED, row.deadline)
}

export const requested = (
  tid: string,
  { request, expiresAt }: Extract<PaymentEvent, { type: 'PaymentRequested' }>['data'],
  at: Instant,
  position: number,
): PaymentOutcome => {
  const { merchant, posId, posTid, customer, currency, amount, additionalAmount } = request
  const { ledger, callbackUri, displayMessageUri } = request
  return {
    tid,
    merchant,
    posId,
    posTid,
    customer,
    payer: null,
    permissions: null,
    currency,
    ledger,
    callbackUri,
    displayMessageUri,
    status: 'pending',
    statusCode: statusCodes.PENDING,
    amount,
    additionalAmount,
    credit: false,
    available: nothing,
    released: nothing,
    captures: [],
    refunds: [],
    modifiedAt: at,
    expiresAt,
    deadline: expiresAt,
    seqno: 0,
    linePosition: position,
    lineLedger: ledger,
    revision: 0,
  }
}

export const changed = (
  row: PaymentOutcome,
  event: Exclude<PaymentEvent, { type: 'PaymentRequested' }>,
  at: Instant,
): PaymentOutcome => {
  switch (event.type) {
    case 'PaymentAmended': {
      const { ledger, callbackUri, displayMessageUri } = event.data
      return { ...row, ledger, callbackUri, displayMessageUri, modifiedAt: at }
    }
    case 'PaymentPickedUp':
      return row
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt, permissions = null } = event.data
      const available = { amount: row.amount, additionalAmount }
      const { AUTH: statusCode } = statusCodes
      const authorized = { ...row, status: 'auth', statusCode, additionalAmount, credit } as const
      const until = { modifiedAt: at, expiresAt, deadline: expiresAt }
      return { ...authorized, payer, permissions, available, ...until }
    }
    case 'PaymentDeclined':
      return ended(row, 'fail', statusCodes.REJECTED, at)
    case 'PaymentFailed':
      return ended(row, 'fail', event.data.statusCode, at)
    case 'PaymentAborted':
      return ended(row, 'fail', statusCodes.ABORTED, at)
    case 'PaymentExpired':
      return ended(row, 'fail', statusCodes.REQUEST_EXPIRED, event.data.expiredAt)
    case 'PaymentCaptured': {
      const { captureId: id, charge } = event.data
      const pots = potsOf(event.data)
      const { fee, interchange } = charge
      const captures = [...row.captures, { id, ...pots, at, fee, interchange }]
      const available = less(row.available, pots)
      const after = { ...row, captures, available, modifiedAt: at }
      const isComplete = available.amount === 0 && available.additionalAmount === 0
      return isComplete ? ended(after, 'ok', statusCodes.OK, at) : after
    }
    case 'PaymentReleased':
      return row.captures.length > 0
        ? ended(row, 'ok', statusCodes.OK, at)
        : ended(row, 'fail', statusCodes.ABORTED, at)
    case 'PaymentRenewed': {
      const { expiresAt } = event.data
      return { ...row, modifiedAt: at, expiresAt, deadline: expiresAt }
    }
    case 'PaymentAuthorizationExpired':
      return ended(row, 'fail', statusCodes.AUTH_EXPIRED, event.data.expiredAt)
    case 'PaymentRefunded': {
      const { refundId: id, text, charge } = event.data
      const { fee, interchange } = charge
      const refund = { id, ...potsOf(event.data), text, at, fee, interchange }
      return { ...row, refunds: [...row.refunds, refund], modifiedAt: at }
    }
  }
}
