import { asc, gt, lte, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Instant } from '../domain/time.ts'
import { isAuthorized, paymentTable } from './payment-table.ts'
import { given, rowsOf, same } from './prepared.ts'

/** A merchant's authorisations, soonest to expire first. */
export const expiringQueries = (db: BetterSQLite3Database) => {
  const { merchant, deadline } = paymentTable
  const ending = (...also: readonly SQL[]) =>
    rowsOf(db, paymentTable, {
      where: [...also, isAuthorized, gt(deadline, given('start')), lte(deadline, given('end'))],
      order: [asc(deadline)],
      limit: given('limit'),
    })
  const soon = ending(same(merchant))
  const anywhere = ending()
  return {
    ofMerchant: (merchant: string, start: Instant, end: Instant, limit: number) =>
      soon.all({ merchant, start, end, limit }),
    anywhere: (start: Instant, end: Instant, limit: number) => anywhere.all({ start, end, limit }),
  }
}
