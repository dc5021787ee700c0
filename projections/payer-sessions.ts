import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { and, desc, eq, gt, sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn } from '../domain/stream.ts'
import { findBy, prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Who is signed in, by the SHA-256 of the session's token. */
const payerSessions = sqliteTable(
  'payer_sessions',
  {
    session: text().primaryKey(),
    payer: text().notNull(),
    startedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** What the device calls itself, sealed. */
    device: text(),
  },
  (row) => [index('payer_sessions_by_payer').on(row.payer, row.startedAt)],
)

export const payerSessionProjection = projection({
  table: payerSessions,
  key: payerSessions.session,
  handles: ['PayerSignedIn', 'PayerSignedOut'],
  keyOf: ({ data }) => data.session,
  apply: (_, event) => {
    if (event.type === 'PayerSignedOut') return undefined
    const { session, expiresAt, device = null } = event.data
    const payer = idIn(event.stream)
    return { session, payer, startedAt: event.metadata.at, expiresAt, device }
  },
})

/** So many are shown: who is signed in more often sees the newest. */
const maxShown = 50

export const payerSessionQueries = (db: BetterSQLite3Database) => {
  const ofPayer = prepared(
    db,
    payerSessions,
    db
      .select()
      .from(payerSessions)
      .where(
        and(
          eq(payerSessions.payer, sql.placeholder('payer')),
          gt(payerSessions.expiresAt, sql.placeholder('at')),
        ),
      )
      .orderBy(desc(payerSessions.startedAt))
      .limit(maxShown),
  )
  return {
    find: findBy(db, payerSessions, payerSessions.session),
    /** Those that are not over, the newest first. */
    ofPayer: (payer: string, at: number) => ofPayer.all({ payer, at }),
  }
}
