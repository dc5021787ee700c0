import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import type { TransactionLine } from '../domain/accounting/transaction-line.ts'
import type { Recorded } from '../domain/events.ts'
import { statusCodes } from '../domain/payment/status.ts'
import type { Permissions } from '../domain/people/grant.ts'
import {
  permissionEvents,
  type PermissionEvent,
  type PermissionRequest,
} from '../domain/people/permission.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { dueBy, nextBy } from './due.ts'
import { findBy } from './prepared.ts'
import { projection } from './projection.ts'

/** Each permission request and what has become of it. */
export const permissionOutcomes = sqliteTable(
  'permission_outcomes',
  {
    rid: text().primaryKey(),
    merchant: text().notNull(),
    request: text({ mode: 'json' }).$type<PermissionRequest>().notNull(),
    /** For whom it is, or who has answered it; null when nobody was found. */
    payer: text(),
    /** Whether its payer has still to answer. */
    isWaiting: integer({ mode: 'boolean' }).notNull(),
    status: text().$type<'pending' | 'ok' | 'fail'>().notNull(),
    statusCode: integer().notNull(),
    /** What was granted, with the hashes of its tokens. */
    permissions: text({ mode: 'json' }).$type<Permissions>(),
    modifiedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** `expiresAt` while it waits for an answer, else null. */
    deadline: integer(),
    currency: text().notNull(),
    /** What it cost the merchant, without VAT. */
    fee: integer().notNull(),
    /** Position of its latest line in the log: it names its report. */
    linePosition: integer().notNull(),
  },
  (row) => [
    index('permission_outcomes_by_deadline').on(row.deadline),
    index('permission_outcomes_by_payer').on(row.payer, row.isWaiting, row.linePosition),
  ],
)

export type PermissionOutcome = typeof permissionOutcomes.$inferSelect

const ended = (
  row: PermissionOutcome,
  status: 'ok' | 'fail',
  statusCode: number,
  modifiedAt: Instant,
): PermissionOutcome => ({
  ...row,
  isWaiting: false,
  status,
  statusCode,
  modifiedAt,
  deadline: null,
})

const changed = (
  row: PermissionOutcome,
  event: Exclude<PermissionEvent, { type: 'PermissionRequested' }>,
  at: Instant,
): PermissionOutcome => {
  switch (event.type) {
    case 'PermissionGranted': {
      const { payer, permissions, charge } = event.data
      return { ...ended(row, 'ok', statusCodes.OK, at), payer, permissions, fee: charge.fee }
    }
    case 'PermissionDeclined': {
      const { payer, charge } = event.data
      return { ...ended(row, 'ok', statusCodes.OK, at), payer, fee: charge.fee }
    }
    case 'PermissionFailed':
      return ended(row, 'fail', event.data.statusCode, at)
    case 'PermissionExpired':
      return ended(row, 'fail', statusCodes.REQUEST_EXPIRED, event.data.expiredAt)
  }
}

/** At `now >= date_expires` every read says so, whether or not the expiry has been recorded yet. */
const permissionAsOf = (now: Instant, row: PermissionOutcome): PermissionOutcome =>
  row.deadline === null || now < row.deadline
    ? row
    : ended(row, 'fail', statusCodes.REQUEST_EXPIRED, row.deadline)

/** The line of a scope log that an event makes; nothing is settled of an answer that costs nothing. */
const permissionLine = (
  before: PermissionOutcome | undefined,
  event: Recorded<PermissionEvent>,
): TransactionLine | undefined => {
  const { position, metadata, stream } = event
  const { request, currency } = event.type === 'PermissionRequested' ? event.data : (before ?? {})
  if (!request || currency === undefined) return undefined
  const { merchant, customer } = request
  const about = { position, merchant, ledger: defaultLedger, tid: idIn(stream), subId: null }
  const nothing = { credit: false, amount: 0, additionalAmount: 0, charge: null, text: null }
  const line = { ...about, customer, currency, ...nothing, at: metadata.at }
  switch (event.type) {
    case 'PermissionRequested':
      return { ...line, action: 'permission_request' }
    case 'PermissionGranted':
    case 'PermissionDeclined': {
      const { charge } = event.data
      const isFree = charge.fee === 0 && charge.vat === 0
      return { ...line, action: 'permission_answered', charge: isFree ? null : charge }
    }
    case 'PermissionFailed':
      return { ...line, action: 'permission_fail' }
    case 'PermissionExpired':
      return { ...line, action: 'permission_fail', at: event.data.expiredAt }
  }
}

export const permissionProjection = projection({
  table: permissionOutcomes,
  key: permissionOutcomes.rid,
  handles: Object.keys(permissionEvents) as PermissionEvent['type'][],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    const { stream, metadata, position: linePosition } = event
    if (event.type === 'PermissionRequested') {
      const { request, payer, expiresAt, currency } = event.data
      const about = { rid: idIn(stream), merchant: request.merchant, request, payer, currency }
      const { PENDING: statusCode } = statusCodes
      const pending = { isWaiting: true, status: 'pending', statusCode } as const
      const dates = { modifiedAt: metadata.at, expiresAt, deadline: expiresAt }
      return { ...about, ...pending, ...dates, permissions: null, fee: 0, linePosition }
    }
    return row && { ...changed(row, event, metadata.at), linePosition }
  },
  transactionLine: permissionLine,
})

export const permissionQueries = (db: BetterSQLite3Database) => {
  const find = findBy(db, permissionOutcomes, permissionOutcomes.rid)
  return {
    /** Whoever's it is, as of an instant. */
    find: (rid: string, now: Instant) => {
      const row = find(rid)
      return row && permissionAsOf(now, row)
    },
    due: dueBy(db, permissionOutcomes, permissionOutcomes.deadline),
    /** The next deadline after now. */
    nextDeadline: nextBy(db, permissionOutcomes, permissionOutcomes.deadline),
  }
}
