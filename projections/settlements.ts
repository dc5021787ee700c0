import { and, asc, desc, eq, gt, isNotNull, lt, notExists, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { alias, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { amountsOf } from '../domain/accounting/settlement.ts'
import type { PayoutOrdered, SettlementMade } from '../domain/accounting/settlement-events.ts'
import { countOf, findBy, prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Settlements. Each takes the lines before its position and after the previous one's. */
const settlements = sqliteTable(
  'settlements',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    serial: integer().notNull(),
    settlementId: text().notNull(),
    startedAt: integer().notNull(),
    startedPosition: integer().notNull(),
    /** Whether its logs are still to be written. */
    making: integer({ mode: 'boolean' }).notNull(),
    /** Null until then. */
    made: text({ mode: 'json' }).$type<SettlementMade>(),
    /** Whether the bank is still to be asked to pay. */
    payable: integer({ mode: 'boolean' }).notNull(),
    /** Null until the payout is ordered. */
    order: text({ mode: 'json' }).$type<PayoutOrdered>(),
  },
  (row) => [
    index('settlements_by_merchant').on(row.merchant, row.serial),
    index('settlements_by_position').on(row.merchant, row.startedPosition),
    index('settlements_making').on(row.making),
    index('settlements_payable').on(row.payable),
  ],
)

export type SettlementRow = typeof settlements.$inferSelect

const settlementKey = (merchant: string, serial: number): string => `${merchant}/${serial}`

export const settlementProjection = projection({
  table: settlements,
  key: settlements.key,
  handles: ['SettlementStarted', 'SettlementMade', 'PayoutOrdered'],
  keyOf: ({ metadata, data }) => settlementKey(metadata.merchant ?? '', data.serial),
  apply: (row, event, key) => {
    const { position, metadata } = event
    if (event.type === 'PayoutOrdered') return row && { ...row, payable: false, order: event.data }
    if (event.type === 'SettlementMade') {
      const payable = amountsOf(event.data.payouts).length > 0
      return row && { ...row, making: false, made: event.data, payable }
    }
    const { serial, settlementId } = event.data
    const started = { startedAt: metadata.at, startedPosition: position }
    const nothingYet = { making: true, made: null, payable: false, order: null }
    const about = { key: String(key), merchant: metadata.merchant ?? '', serial, settlementId }
    return { ...about, ...started, ...nothingYet }
  },
})

/** Long because it prepares every query of settlements, each of a few lines. */
export const settlementQueries = (db: BetterSQLite3Database) => {
  const { key, merchant, serial, startedPosition, settlementId, making, made } = settlements
  const { payable, order } = settlements
  const find = findBy(db, settlements, key)
  const page = prepared(
    db,
    settlements,
    db
      .select()
      .from(settlements)
      .where(
        and(
          eq(merchant, sql.placeholder('merchant')),
          lt(serial, sql.placeholder('before')),
          isNotNull(made),
        ),
      )
      .orderBy(desc(serial))
      .limit(sql.placeholder('limit')),
  )
  const earlier = alias(settlements, 'earlier')
  const unfinishedBefore = db
    .select({ key: earlier.key })
    .from(earlier)
    .where(
      and(eq(earlier.key, sql`${merchant} || '/' || (${serial} - 1)`), eq(earlier.making, true)),
    )
  const nextUnfinished = prepared(
    db,
    settlements,
    db
      .select()
      .from(settlements)
      .where(and(eq(making, true), notExists(unfinishedBefore)))
      .orderBy(asc(startedPosition))
      .limit(sql.placeholder('limit')),
  )
  const cuts = prepared(
    db,
    settlements,
    db
      .select({ startedPosition, settlementId })
      .from(settlements)
      .where(
        and(
          eq(merchant, sql.placeholder('merchant')),
          gt(startedPosition, sql.placeholder('after')),
          lt(startedPosition, sql.placeholder('before')),
        ),
      )
      .orderBy(asc(startedPosition)),
  )
  const payables = prepared(
    db,
    settlements,
    db.select().from(settlements).where(eq(payable, true)).orderBy(asc(key)),
  )
  const ordered = prepared(
    db,
    settlements,
    db
      .select()
      .from(settlements)
      .where(eq(sql`json_extract(${order}, '$.messageId')`, sql.placeholder('messageId')))
      .orderBy(asc(key)),
  )
  return {
    find: (merchant: string, serial: number) => find(settlementKey(merchant, serial)),
    /** Completed settlements, newest first. */
    list: (merchant: string, before: number, limit: number) =>
      page.all({ merchant, before, limit }),
    /** Started and not completed. */
    unfinishedCount: countOf(db, settlements, eq(making, true)),
    /** The first unfinished settlement of each merchant, oldest first. */
    nextUnfinished: (limit: number) => nextUnfinished.all({ limit }),
    /** Settlements whose payout is not ordered. */
    payable: () => payables.all(),
    /** Settlements of one payment message. */
    orderedBy: (messageId: string) => ordered.all({ messageId }),
    /** Positions between two others at which a merchant's settlements cut the log. */
    cuts: (merchant: string, after: number, before: number) =>
      cuts.all({ merchant, after, before }),
  }
}
