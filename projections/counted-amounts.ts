import { gt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { isStaffActor } from '../domain/merchant/staff.ts'
import type { MinorUnits } from '../domain/money/money.ts'
import type { Instant } from '../domain/time.ts'
import { columnsOf, param, same } from './prepared.ts'
import { projection } from './projection.ts'

/**
 * Amounts that count towards a threshold for one-time codes: acceptances of payers, refunds by
 * staff in the portal.
 */
const countedAmounts = sqliteTable(
  'counted_amounts',
  {
    position: integer().primaryKey(),
    /** The actor name, as in events. */
    actor: text().notNull(),
    at: integer().notNull(),
    currency: text().notNull(),
    /** Both pots together, in minor units. */
    gross: integer().notNull(),
  },
  (row) => [index('counted_amounts_by_actor').on(row.actor, row.currency, row.at)],
)

export const countedAmountProjection = projection({
  table: countedAmounts,
  isAppended: true,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  lines: {
    keysOf: ({ position, action, actor = '' }) =>
      action === 'auth' || (action === 'refund' && isStaffActor(actor)) ? [position] : [],
    apply: (_, { position, actor = '', at, currency, amount, additionalAmount }) => ({
      position,
      actor,
      at,
      currency,
      // Refunds have negative amounts.
      gross: Math.abs(amount + additionalAmount),
    }),
  },
})

type CountQuery = {
  readonly actor: string
  readonly currency: string
  readonly since: Instant
}

/** What one person has accepted since a time, or refunded for a merchant, in minor units. */
export type CountedBy = (query: CountQuery) => MinorUnits

/** Position of the newest of these amounts; 0 if there is none. */
export type NewestCounted = (query: Pick<CountQuery, 'actor' | 'currency'>) => number

export const countedAmountQueries = (db: BetterSQLite3Database) => {
  const { actor, at, currency, gross, position } = countedAmounts
  const ofActor = [same(actor), same(currency)]
  const sum = { gross: sql<MinorUnits>`coalesce(sum(${gross}), 0)`.as('gross') }
  const total = columnsOf(db, countedAmounts, {
    columns: sum,
    where: [...ofActor, gt(at, param('since'))],
  })
  const most = { position: sql<number>`coalesce(max(${position}), 0)`.as('position') }
  const last = columnsOf(db, countedAmounts, { columns: most, where: ofActor })
  const by: CountedBy = (query) => total.get(query)?.gross ?? 0
  const newest: NewestCounted = (query) => last.get(query)?.position ?? 0
  return { by, newest }
}
