import { asc, desc, eq, gt, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  correction,
  type CorrectionEvent,
  type KnownCorrection,
} from '../domain/accounting/correction.ts'
import type { TransactionLine } from '../domain/accounting/transaction-line.ts'
import type { Recorded } from '../domain/events.ts'
import { idIn } from '../domain/stream.ts'
import { findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

const corrections = sqliteTable(
  'corrections',
  {
    id: text().primaryKey(),
    merchant: text().notNull(),
    /** Of the latest event: of the line, once it is approved. */
    position: integer().notNull(),
    at: integer().notNull(),
    status: text().$type<KnownCorrection['status']>().notNull(),
    correction: text({ mode: 'json' }).$type<KnownCorrection>().notNull(),
  },
  (row) => [
    index('corrections_by_merchant').on(row.merchant, row.position),
    index('corrections_by_status').on(row.status, row.position),
  ],
)

export type CorrectionRow = typeof corrections.$inferSelect

type Before = Pick<KnownCorrection, 'merchant' | 'ledger' | 'reason'>

/** An approved correction joins the lines of its ledger; a write-off does not. */
export const correctionLine = (
  before: Before | undefined,
  { type, stream, position, metadata, data }: Recorded<CorrectionEvent>,
): TransactionLine | undefined => {
  if (type !== 'CorrectionApproved' || !data.charge || !before) return undefined
  const { currency, amount, charge } = data
  const { merchant, ledger, reason } = before
  const about = { position, merchant, ledger, tid: idIn(stream), subId: null, at: metadata.at }
  const money = { currency, amount, additionalAmount: 0, charge, text: reason }
  return { ...about, action: 'correction', credit: false, customer: null, ...money }
}

export const correctionProjection = projection({
  table: corrections,
  handles: ['CorrectionProposed', 'CorrectionApproved', 'CorrectionTurnedDown'],
  begins: ['CorrectionProposed'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event, key): CorrectionRow | undefined => {
    const { position, metadata } = event
    const place = { at: metadata.at, position }
    const after = correction.evolve(row?.correction ?? correction.initial, event, place)
    if (after.status === 'unproposed') return row
    const { merchant, status } = after
    return { id: String(key), merchant, ...place, status, correction: after }
  },
  transactionLine: (row, event) => correctionLine(row?.correction, event),
})

export const correctionQueries = (db: BetterSQLite3Database) => {
  const { id, merchant, position, status } = corrections
  const proposed = rowsOf(db, corrections, {
    where: [eq(status, 'proposed')],
    order: [asc(position)],
    limit: param('limit'),
  })
  const decided = rowsOf(db, corrections, {
    where: [same(status), lt(position, param('before'))],
    order: [desc(position)],
    limit: param('limit'),
  })
  const between = rowsOf(db, corrections, {
    where: [
      ...[same(merchant), gt(position, param('after')), lt(position, param('before'))],
      eq(status, 'approved'),
    ],
    order: [desc(position)],
    limit: param('limit'),
  })
  return {
    find: findBy(db, corrections, id),
    /** Those that wait for a second person, oldest first. */
    proposed: (limit: number) => proposed.all({ limit }),
    /** Newest first. */
    decided: (status: 'approved' | 'turned_down', before: number, limit: number) =>
      decided.all({ status, before, limit }),
    /** Approved for a merchant between two positions, newest first. */
    approved: (merchant: string, after: number, before: number, limit: number) =>
      between.all({ merchant, after, before, limit }),
  }
}
