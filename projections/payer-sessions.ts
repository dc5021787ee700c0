import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn } from '../domain/stream.ts'
import { findBy } from './prepared.ts'
import { projection } from './projection.ts'

/** Who is signed in, by the SHA-256 of the session's token. */
const payerSessions = sqliteTable('payer_sessions', {
  session: text().primaryKey(),
  payer: text().notNull(),
  startedAt: integer().notNull(),
  expiresAt: integer().notNull(),
})

export const payerSessionProjection = projection({
  table: payerSessions,
  key: payerSessions.session,
  handles: ['PayerSignedIn', 'PayerSignedOut'],
  keyOf: ({ data }) => data.session,
  apply: (_, event) => {
    if (event.type === 'PayerSignedOut') return undefined
    const { session, expiresAt } = event.data
    const payer = idIn(event.stream)
    return { session, payer, startedAt: event.metadata.at, expiresAt }
  },
})

export const payerSessionQueries = (db: BetterSQLite3Database) => ({
  find: findBy(db, payerSessions, payerSessions.session),
})
