import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { callbackEventNames } from '../domain/callback.ts'
import type { Permissions } from '../domain/grant.ts'
import {
  permissionEvents,
  type PermissionEvent,
  type PermissionRequest,
} from '../domain/permission.ts'
import { statusCodes } from '../domain/status.ts'
import type { Instant } from '../domain/time.ts'
import { projection } from './projection.ts'

/** Each permission request and what has become of it. */
export const permissionOutcomes = sqliteTable(
  'permission_outcomes',
  {
    rid: text().primaryKey(),
    merchant: text().notNull(),
    request: text({ mode: 'json' }).$type<PermissionRequest>().notNull(),
    payer: text(),
    status: text().$type<'pending' | 'ok' | 'fail'>().notNull(),
    statusCode: integer().notNull(),
    /** What was granted, with the hashes of its tokens. */
    permissions: text({ mode: 'json' }).$type<Permissions>(),
    modifiedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** `expiresAt` while it waits for an answer, else null. */
    deadline: integer(),
    seqno: integer().notNull(),
  },
  (row) => [index('permission_outcomes_by_deadline').on(row.deadline)],
)

export type PermissionOutcome = typeof permissionOutcomes.$inferSelect

const ridOf = (stream: string): string => stream.slice('permission-'.length)

const ended = (
  row: PermissionOutcome,
  status: 'ok' | 'fail',
  statusCode: number,
  modifiedAt: Instant,
): PermissionOutcome => ({ ...row, status, statusCode, modifiedAt, deadline: null })

const changed = (
  row: PermissionOutcome,
  event: Exclude<PermissionEvent, { type: 'PermissionRequested' }>,
  at: Instant,
): PermissionOutcome => {
  switch (event.type) {
    case 'PermissionGranted': {
      const { payer, permissions } = event.data
      return { ...ended(row, 'ok', statusCodes.OK, at), payer, permissions }
    }
    case 'PermissionDeclined':
      return { ...ended(row, 'ok', statusCodes.OK, at), payer: event.data.payer }
    case 'PermissionFailed':
      return ended(row, 'fail', event.data.statusCode, at)
    case 'PermissionExpired':
      return ended(row, 'fail', statusCodes.REQUEST_EXPIRED, event.data.expiredAt)
  }
}

/** At `now >= date_expires` every read says so, whether or not the expiry has been recorded yet. */
export const permissionAsOf = (now: Instant, row: PermissionOutcome): PermissionOutcome =>
  row.deadline === null || now < row.deadline
    ? row
    : ended(row, 'fail', statusCodes.REQUEST_EXPIRED, row.deadline)

export const permissionProjection = projection({
  table: permissionOutcomes,
  key: permissionOutcomes.rid,
  handles: Object.keys(permissionEvents) as PermissionEvent['type'][],
  keyOf: ({ stream }) => ridOf(stream),
  apply: (row, event) => {
    const { stream, metadata } = event
    if (event.type === 'PermissionRequested') {
      const { request, payer, expiresAt } = event.data
      const { merchant } = request
      const pending = { status: 'pending', statusCode: statusCodes.PENDING } as const
      const dates = { modifiedAt: metadata.at, expiresAt, deadline: expiresAt }
      const nothingYet = { permissions: null, seqno: 0 }
      return { rid: ridOf(stream), merchant, request, payer, ...pending, ...dates, ...nothingYet }
    }
    if (!row) return undefined
    const after = changed(row, event, metadata.at)
    const isTold = event.type in callbackEventNames && row.request.callbackUri !== null
    return isTold ? { ...after, seqno: row.seqno + 1 } : after
  },
})

export const permissionQueries = (db: BetterSQLite3Database) => {
  const find = db
    .select()
    .from(permissionOutcomes)
    .where(eq(permissionOutcomes.rid, sql.placeholder('rid')))
    .prepare()
  const due = db
    .select({ rid: permissionOutcomes.rid, merchant: permissionOutcomes.merchant })
    .from(permissionOutcomes)
    .where(
      and(
        isNotNull(permissionOutcomes.deadline),
        lte(permissionOutcomes.deadline, sql.placeholder('now')),
      ),
    )
    .orderBy(asc(permissionOutcomes.deadline))
    .limit(sql.placeholder('limit'))
    .prepare()
  const next = db
    .select({ deadline: permissionOutcomes.deadline })
    .from(permissionOutcomes)
    .where(isNotNull(permissionOutcomes.deadline))
    .orderBy(asc(permissionOutcomes.deadline))
    .limit(1)
    .prepare()
  return {
    /** Whoever's it is, as of an instant. */
    find: (rid: string, now: Instant) => {
      const row = find.get({ rid })
      return row && permissionAsOf(now, row)
    },
    due: (now: Instant, limit: number) => due.all({ now, limit }),
    nextDeadline: (): Instant | null => next.get()?.deadline ?? null,
  }
}
