import { and, asc, eq, gt, lte, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Instant } from '../domain/time.ts'
import { isAuthorized, paymentTable } from './payment-table.ts'
import { prepared } from './prepared.ts'

/** Authorisations of a merchant, those first that end first. */
export const expiringQueries = (db: BetterSQLite3Database) => {
  const { merchant, deadline } = paymentTable
  const ending = (...also: readonly SQL[]) =>
    prepared(
      db,
      paymentTable,
      db
        .select()
        .from(paymentTable)
        .where(
          and(
            ...also,
            isAuthorized,
            gt(deadline, sql.placeholder('start')),
            lte(deadline, sql.placeholder('end')),
          ),
        )
        .orderBy(asc(deadline))
        .limit(sql.placeholder('limit')),
    )
  const soon = ending(eq(merchant, sql.placeholder('merchant')))
  const anywhere = ending()
  return {
    ofMerchant: (merchant: string, start: Instant, end: Instant, limit: number) =>
      soon.all({ merchant, start, end, limit }),
    anywhere: (start: Instant, end: Instant, limit: number) => anywhere.all({ start, end, limit }),
  }
}
