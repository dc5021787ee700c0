import { and, asc, desc, eq, gt, inArray, isNotNull, lt, notExists, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { alias, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  duePayouts,
  statusOfAll,
  withOrder,
  withPayment,
  withReturn,
  type PayoutState,
  type PayoutStatus,
} from '../domain/accounting/payout-state.ts'
import type { SettlementMade } from '../domain/accounting/settlement-events.ts'
import { ofMessage, payoutOrders } from './payout-orders.ts'
import { columnsOf, countOf, findBy, param, rowsOf, same } from './prepared.ts'
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
    /** The state of its payouts above zero, by currency. */
    payouts: text({ mode: 'json' }).$type<readonly PayoutState[]>().notNull(),
    /** The status of the payout that most needs action; null if there is none. */
    payoutStatus: text().$type<PayoutStatus>(),
  },
  (row) => [
    index('settlements_by_merchant').on(row.merchant, row.serial),
    index('settlements_by_position').on(row.merchant, row.startedPosition),
    index('settlements_making').on(row.making),
    index('settlements_by_payout').on(row.payoutStatus, row.startedPosition),
    index('settlements_by_id').on(row.settlementId),
  ],
)

export type SettlementRow = typeof settlements.$inferSelect

const paying = (row: SettlementRow, payouts: readonly PayoutState[]): SettlementRow => ({
  ...row,
  payouts,
  payoutStatus: statusOfAll(payouts),
})

const settlementKey = (merchant: string, serial: number): string => `${merchant}/${serial}`

export const settlementProjection = projection({
  table: settlements,
  handles: ['SettlementStarted', 'SettlementMade', 'PayoutOrdered', 'PayoutPaid', 'PayoutReturned'],
  keyOf: ({ metadata, data }) => settlementKey(metadata.merchant ?? '', data.serial),
  apply: (row, event, key) => {
    const { position, metadata } = event
    switch (event.type) {
      case 'SettlementMade':
        return row && paying({ ...row, making: false, made: event.data }, duePayouts(event.data))
      case 'PayoutOrdered':
        return row && paying(row, withOrder(row.payouts, row.settlementId, event.data))
      case 'PayoutPaid':
        return row && paying(row, withPayment(row.payouts, event.data))
      case 'PayoutReturned':
        return row && paying(row, withReturn(row.payouts, event.data))
    }
    const { serial, settlementId } = event.data
    const started = { startedAt: metadata.at, startedPosition: position }
    const nothingYet = { making: true, made: null, payouts: [], payoutStatus: null }
    const about = { key: String(key), merchant: metadata.merchant ?? '', serial, settlementId }
    return { ...about, ...started, ...nothingYet }
  },
})

/** Long because it prepares every query of settlements, each of a few lines. */
export const settlementQueries = (db: BetterSQLite3Database) => {
  const { key, merchant, serial, startedPosition, settlementId, making, made } = settlements
  const { payoutStatus } = settlements
  const find = findBy(db, settlements, key)
  const page = rowsOf(db, settlements, {
    where: [same(merchant), lt(serial, param('before')), isNotNull(made)],
    order: [desc(serial)],
    limit: param('limit'),
  })
  const earlier = alias(settlements, 'earlier')
  const unfinishedBefore = db
    .select({ key: earlier.key })
    .from(earlier)
    .where(
      and(eq(earlier.key, sql`${merchant} || '/' || (${serial} - 1)`), eq(earlier.making, true)),
    )
  const nextUnfinished = rowsOf(db, settlements, {
    where: [eq(making, true), notExists(unfinishedBefore)],
    order: [asc(startedPosition)],
    limit: param('limit'),
  })
  const [isAfter, isBefore] = [
    gt(startedPosition, param('after')),
    lt(startedPosition, param('before')),
  ]
  const cuts = columnsOf(db, settlements, {
    columns: { startedPosition, settlementId },
    where: [same(merchant), isAfter, isBefore],
    order: [asc(startedPosition)],
  })
  const payables = rowsOf(db, settlements, {
    where: [inArray(payoutStatus, ['due', 'returned'])],
    order: [asc(key)],
  })
  const ordered = rowsOf(db, settlements, {
    where: [
      inArray(
        key,
        db.select({ settlement: payoutOrders.settlement }).from(payoutOrders).where(ofMessage),
      ),
    ],
    order: [asc(key)],
  })
  const byId = rowsOf(db, settlements, { where: [same(settlementId)] })
  const ofStatus = rowsOf(db, settlements, {
    where: [same(payoutStatus)],
    order: [desc(startedPosition)],
    limit: param('limit'),
  })
  return {
    find: (merchant: string, serial: number) => find(settlementKey(merchant, serial)),
    /** Completed settlements, newest first. */
    list: (merchant: string, before: number, limit: number) =>
      page.all({ merchant, before, limit }),
    /** Started but not completed. */
    unfinishedCount: countOf(db, settlements, eq(making, true)),
    /** The first unfinished settlement of each merchant, oldest first. */
    nextUnfinished: (limit: number) => nextUnfinished.all({ limit }),
    /** The settlement with this id, as used in payment files and logs. */
    findById: (settlementId: string) => byId.get({ settlementId }),
    /** Settlements with payouts of a status, newest first. */
    withPayouts: (payoutStatus: PayoutStatus, limit: number) =>
      ofStatus.all({ payoutStatus, limit }),
    /** Settlements with a payout to order. */
    payable: () => payables.all(),
    /** Settlements of one payment message. */
    orderedBy: (messageId: string) => ordered.all({ messageId }),
    /** Positions, between two others, at which a merchant's settlements cut the log. */
    cuts: (merchant: string, after: number, before: number) =>
      cuts.all({ merchant, after, before }),
  }
}
