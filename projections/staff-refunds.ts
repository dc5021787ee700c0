import { and, eq, gt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { isStaffActor } from '../domain/merchant/staff.ts'
import type { MinorUnits } from '../domain/money/money.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { paymentTable } from './payment-table.ts'
import { prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Refunds that the staff of merchants have made in the portal. */
const staffRefunds = sqliteTable(
  'staff_refunds',
  {
    position: integer().primaryKey(),
    merchant: text().notNull(),
    /** Who has made it, as events name them. */
    actor: text().notNull(),
    tid: text().notNull(),
    at: integer().notNull(),
    /** Both pots together, in minor units. */
    gross: integer().notNull(),
  },
  (row) => [index('staff_refunds_by_actor').on(row.merchant, row.actor, row.at)],
)

export const staffRefundProjection = projection({
  table: staffRefunds,
  key: staffRefunds.position,
  isAppended: true,
  handles: ['PaymentRefunded'],
  keysOf: ({ position, metadata: { actor } }) => (isStaffActor(actor) ? [position] : []),
  apply: (_, { position, stream, metadata: { merchant, actor, at }, data }) => ({
    ...{ position, merchant: merchant ?? '', actor, at, tid: idIn(stream) },
    gross: data.amount + data.additionalAmount,
  }),
})

type Asked = {
  readonly merchant: string
  readonly actor: string
  readonly currency: string
  readonly since: Instant
}

export const staffRefundQueries = (db: BetterSQLite3Database) => {
  const { merchant, actor, at, tid, gross } = staffRefunds
  const total = prepared(
    db,
    staffRefunds,
    db
      .select({ gross: sql<MinorUnits>`coalesce(sum(${gross}), 0)`.as('gross') })
      .from(staffRefunds)
      .innerJoin(paymentTable, eq(paymentTable.tid, tid))
      .where(
        and(
          eq(merchant, sql.placeholder('merchant')),
          eq(actor, sql.placeholder('actor')),
          gt(at, sql.placeholder('since')),
          eq(paymentTable.currency, sql.placeholder('currency')),
        ),
      ),
  )
  return {
    /** What one person has refunded since then, in minor units. */
    refundedBy: (asked: Asked): MinorUnits => total.get(asked)?.gross ?? 0,
  }
}
