import { and, asc, desc, eq, gt, isNotNull, lt, notExists, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { alias, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  amountsOf,
  type PayoutOrdered,
  type SettlementMade,
} from '../domain/accounting/settlement.ts'
import { countOf, findBy, prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Each settlement. It takes the lines before its position and after that of the one before it. */
const settlements = sqliteTable(
  'settlements',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    serial: integer().notNull(),
    settlementId: text().notNull(),
    startedAt: integer().notNull(),
    startedPosition: integer().notNull(),
    /** Whether its logs are still to be made. */
    making: integer({ mode: 'boolean' }).notNull(),
    /** Null while they are. */
    made: text({ mode: 'json' }).$type<SettlementMade>(),
    /** Whether something is to be paid that the bank has not been asked for. */
    payable: integer({ mode: 'boolean' }).notNull(),
    /** How the bank was asked; null while it was not. */
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
    /** Those that are made, newest first. */
    list: (merchant: string, before: number, limit: number) =>
      page.all({ merchant, before, limit }),
    /** How many are started and not made. */
    unfinishedCount: countOf(db, settlements, eq(making, true)),
    /** Of each merchant the first of them, the oldest first. */
    nextUnfinished: (limit: number) => nextUnfinished.all({ limit }),
    /** Those with something to pay that the bank has not been asked for. */
    payable: () => payables.all(),
    /** Those that the bank was asked to pay by one message. */
    orderedBy: (messageId: string) => ordered.all({ messageId }),
    /** Where the settlements of a merchant cut the log between two positions, in order. */
    cuts: (merchant: string, after: number, before: number) =>
      cuts.all({ merchant, after, before }),
  }
}
