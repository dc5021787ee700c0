import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { desc, gt } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn } from '../domain/stream.ts'
import { findBy, given, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

/** Keyed by the SHA-256 of the session token. */
const payerSessions = sqliteTable(
  'payer_sessions',
  {
    session: text().primaryKey(),
    payer: text().notNull(),
    startedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** Time of the last recorded use; more recent uses are in memory. */
    usedAt: integer().notNull(),
    /** Name of the device, sealed. */
    device: text(),
  },
  (row) => [index('payer_sessions_by_payer').on(row.payer, row.startedAt)],
)

export const payerSessionProjection = projection({
  table: payerSessions,
  handles: ['PayerSignedIn', 'PayerSessionUsed', 'PayerSignedOut'],
  keyOf: ({ data }) => data.session,
  apply: (row, event) => {
    if (event.type === 'PayerSignedOut') return undefined
    if (event.type === 'PayerSessionUsed') return row && { ...row, usedAt: event.metadata.at }
    const { session, expiresAt, device = null } = event.data
    const payer = idIn(event.stream)
    const { at } = event.metadata
    return { session, payer, startedAt: at, usedAt: at, expiresAt, device }
  },
})

/** Maximum number shown; the newest first. */
const maxShown = 50

export const payerSessionQueries = (db: BetterSQLite3Database) => {
  const ofPayer = rowsOf(db, payerSessions, {
    where: [same(payerSessions.payer), gt(payerSessions.expiresAt, given('at'))],
    order: [desc(payerSessions.startedAt)],
    limit: maxShown,
  })
  return {
    find: findBy(db, payerSessions, payerSessions.session),
    /** Live sessions, newest first. */
    ofPayer: (payer: string, at: number) => ofPayer.all({ payer, at }),
  }
}
