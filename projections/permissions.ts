import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import type { TransactionLine } from '../domain/accounting/transaction-line.ts'
import type { Recorded } from '../domain/events.ts'
import { permissionEvents, type PermissionEvent } from '../domain/people/permission.ts'
import { idIn } from '../domain/stream.ts'
import { dueBy, findBy, nextBy } from './prepared.ts'
import { projection } from './projection.ts'

/**
 * What lists, deadlines and log lines need of each permission request; everything else is folded
 * from its stream.
 */
export const permissionTable = sqliteTable(
  'permissions',
  {
    rid: text().primaryKey(),
    merchant: text().notNull(),
    posId: text().notNull(),
    posTid: text().notNull(),
    text: text(),
    customer: text(),
    currency: text().notNull(),
    /** Who may answer or has answered; null if the customer is unknown. */
    payer: text(),
    /** Whether the payer has yet to answer. */
    isWaiting: integer({ mode: 'boolean' }).notNull(),
    /** Position of the latest event: the order of the payer's lists. */
    inboxPosition: integer().notNull(),
    expiresAt: integer().notNull(),
    /** `expiresAt` while it waits for an answer, else null. */
    deadline: integer(),
  },
  (row) => [
    index('permissions_by_deadline').on(row.deadline),
    index('permissions_by_payer').on(row.payer, row.isWaiting, row.inboxPosition),
  ],
)

type PermissionRow = typeof permissionTable.$inferSelect

const requested = ({
  stream,
  position,
  data,
}: Recorded<Extract<PermissionEvent, { type: 'PermissionRequested' }>>): PermissionRow => {
  const { request, payer, expiresAt, currency } = data
  const { merchant, posId, posTid, customer } = request
  const about = { rid: idIn(stream), merchant, posId, posTid, text: request.text, customer }
  const pending = { isWaiting: true, expiresAt, deadline: expiresAt }
  return { ...about, currency, payer, ...pending, inboxPosition: position }
}

/** An answer that costs nothing has no charge, so it is not settled. */
export const permissionLine = (
  before:
    | (Pick<PermissionRow, 'rid' | 'merchant' | 'customer' | 'currency'> &
        Partial<Pick<PermissionRow, 'posId' | 'posTid'>>)
    | undefined,
  event: Recorded<PermissionEvent>,
): TransactionLine | undefined => {
  const row = event.type === 'PermissionRequested' ? requested(event) : before
  if (!row) return undefined
  const { position, metadata } = event
  const { rid: tid, merchant, posId: permissionPosId, posTid, customer, currency } = row
  const named = { permissionPosId, posTid, tid, subId: null }
  const about = { position, merchant, ledger: defaultLedger, ...named }
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
  table: permissionTable,
  handles: Object.keys(permissionEvents) as PermissionEvent['type'][],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    if (event.type === 'PermissionRequested') return requested(event)
    const payer = 'payer' in event.data ? event.data.payer : (row?.payer ?? null)
    const ended = { payer, isWaiting: false, deadline: null, inboxPosition: event.position }
    return row && { ...row, ...ended }
  },
  transactionLine: permissionLine,
})

export const permissionQueries = (db: BetterSQLite3Database) => ({
  find: findBy(db, permissionTable, permissionTable.rid),
  /** Requests whose deadline has passed without a recorded expiry, earliest first. */
  due: dueBy(db, permissionTable, permissionTable.deadline),
  nextDeadline: nextBy(db, permissionTable, permissionTable.deadline),
})
