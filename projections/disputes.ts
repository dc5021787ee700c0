import { asc, desc, eq, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { disputeId, evolveDispute, isClosed } from '../domain/payment/dispute.ts'
import type { Dispute } from '../domain/payment/payment-state.ts'
import { idIn } from '../domain/stream.ts'
import { findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

const disputes = sqliteTable(
  'disputes',
  {
    id: text().primaryKey(),
    merchant: text().notNull(),
    tid: text().notNull(),
    number: integer().notNull(),
    /** When it was opened; orders lists. */
    position: integer().notNull(),
    currency: text().notNull(),
    dispute: text({ mode: 'json' }).$type<Dispute>().notNull(),
    isOpen: integer({ mode: 'boolean' }).notNull(),
    due: integer().notNull(),
  },
  (row) => [
    index('disputes_by_merchant').on(row.merchant, row.position),
    index('disputes_by_due').on(row.isOpen, row.due, row.id),
  ],
)

export type DisputeRow = typeof disputes.$inferSelect

export const disputeProjection = projection({
  table: disputes,
  handles: ['PaymentDisputed', 'PaymentEvidenceSent', 'PaymentDisputeWon', 'PaymentDisputeLost'],
  keyOf: ({ stream, data }) => disputeId(idIn(stream), data.dispute),
  apply: (row, event, key): DisputeRow | undefined => {
    const { stream, position, metadata } = event
    const dispute = evolveDispute(row?.dispute, event, metadata.at)
    if (!dispute) return undefined
    const changes = { dispute, isOpen: !isClosed(dispute) }
    if (event.type !== 'PaymentDisputed') return row && { ...row, ...changes }
    const { dispute: number, currency, due } = event.data
    const about = { id: String(key), merchant: metadata.merchant ?? '', tid: idIn(stream), number }
    return { ...about, position, currency, due, ...changes }
  },
})

export const disputeQueries = (db: BetterSQLite3Database) => {
  const { id, merchant, position, isOpen, due } = disputes
  const page = rowsOf(db, disputes, {
    where: [same(merchant), lt(position, param('before'))],
    order: [desc(position)],
    limit: param('limit'),
  })
  const open = rowsOf(db, disputes, {
    where: [eq(isOpen, true)],
    order: [asc(due), asc(id)],
    limit: param('limit'),
  })
  return {
    find: findBy(db, disputes, id),
    /** Newest first. */
    list: (merchant: string, before: number, limit: number) =>
      page.all({ merchant, before, limit }),
    /** Of all merchants, the next deadline first. */
    open: (limit: number) => open.all({ limit }),
  }
}
