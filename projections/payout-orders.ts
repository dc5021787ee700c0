import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { PayoutAmount } from '../domain/accounting/payout-events.ts'
import type { Instant } from '../domain/time.ts'
import type { PayoutSum } from './payouts.ts'
import { clientOf, param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** The payouts that each payment message ordered. */
export const payoutOrders = sqliteTable('payout_orders', {
  /** `<message id>/<merchant>/<serial>` */
  key: text().primaryKey(),
  /** `<merchant>/<serial>` */
  settlement: text().notNull(),
  merchant: text().notNull(),
  serial: integer().notNull(),
  day: text().notNull(),
  at: integer().notNull(),
  paid: text({ mode: 'json' }).$type<readonly PayoutAmount[]>().notNull(),
})

export type PayoutOrderRow = typeof payoutOrders.$inferSelect

export const payoutOrderProjection = projection({
  table: payoutOrders,
  handles: ['PayoutOrdered'],
  keyOf: ({ metadata, data: { messageId, serial } }) =>
    `${messageId}/${metadata.merchant ?? ''}/${serial}`,
  apply: (_, { metadata, data }, key): PayoutOrderRow => {
    const { serial, payoutDay: day, paid } = data
    const merchant = metadata.merchant ?? ''
    const about = { merchant, serial, settlement: `${merchant}/${serial}` }
    return { key: String(key), ...about, day, at: metadata.at, paid }
  },
})

/** Keys of a message: a slash follows the id, and `0` is the character after a slash. */
export const ofMessage = sql`${payoutOrders.key} > ${param('messageId')} || '/'
  and ${payoutOrders.key} < ${param('messageId')} || '0'`

const sumText = `
  SELECT day, json_extract(one.value, '$.currency') AS currency, count(*) AS count,
    CAST(sum(CAST(json_extract(one.value, '$.amount') AS INTEGER)) AS TEXT) AS amount
  FROM payout_orders, json_each(paid) one
  WHERE payout_orders.key > @messageId || '/' AND payout_orders.key < @messageId || '0'
  GROUP BY 1, 2 ORDER BY 1, 2`

export const payoutOrderQueries = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  const page = rowsOf(db, payoutOrders, {
    where: [sql`${ofMessage} and ${payoutOrders.key} > ${param('behind')}`],
    order: [payoutOrders.key],
    limit: param('limit'),
  })
  const sums = client.prepare(sumText)
  return {
    /** By merchant, after a key. */
    list: (messageId: string, behind: string, limit: number): readonly PayoutOrderRow[] =>
      page.all({ messageId, behind, limit }),
    /** When the first payout of a message was ordered; undefined if there is none. */
    orderedAt: (messageId: string): Instant | undefined =>
      page.get({ messageId, behind: '', limit: 1 })?.at,
    /** By day and currency. */
    sums: (messageId: string) => sums.all({ messageId }) as readonly PayoutSum[],
  }
}
