import { asc, gt, isNotNull } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { impliedAccount } from '../domain/accounting/settlement-account.ts'
import { movesMoney } from '../domain/accounting/transaction-line.ts'
import { isDueByRightClock, settlementDue, type Frequency } from '../domain/calendar.ts'
import { clockToleranceMs, type Instant } from '../domain/time.ts'
import { utc } from '../domain/time-zone.ts'
import { dueBy, nextBy, findBy, param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Settlement account of each merchant, and when the next settlement is due. */
const settlementAccounts = sqliteTable(
  'settlement_accounts',
  {
    merchant: text().primaryKey(),
    id: text().notNull(),
    currency: text().notNull(),
    payoutAccount: text(),
    frequency: text().$type<Frequency>().notNull(),
    startOfDay: text().notNull(),
    timeZone: text().notNull(),
    payoutDelay: integer().notNull(),
    /** Last settlement; 0 for none. */
    lastSerial: integer().notNull(),
    /** Start of the last settlement. */
    settledAt: integer(),
    /** Time of the first unsettled line. */
    unsettledSince: integer(),
    /** The first due time after `waitsSince`. */
    dueAt: integer(),
    /** The later of `settledAt` and `unsettledSince`, while something is unsettled. */
    waitsSince: integer(),
  },
  (row) => [
    index('settlement_accounts_by_due').on(row.dueAt),
    index('settlement_accounts_by_wait').on(row.waitsSince),
  ],
)

export type SettlementAccountRow = typeof settlementAccounts.$inferSelect

const scheduled = (row: SettlementAccountRow): SettlementAccountRow => {
  const { unsettledSince, settledAt } = row
  if (unsettledSince === null) return { ...row, dueAt: null, waitsSince: null }
  const waitsSince = Math.max(unsettledSince, settledAt ?? unsettledSince)
  return { ...row, dueAt: settlementDue({ ...row, unsettledSince }), waitsSince }
}

export const settlementAccountProjection = projection({
  table: settlementAccounts,
  handles: [
    'MerchantRegistered',
    'MerchantChanged',
    'SettlementAccountRegistered',
    'SettlementAccountChanged',
    'SettlementStarted',
  ],
  keyOf: ({ metadata }) => metadata.merchant ?? '',
  apply: (row, event, key) => {
    const merchant = String(key)
    const nothingUnsettled = { unsettledSince: null, dueAt: null, waitsSince: null }
    const nothingYet = { timeZone: utc, lastSerial: 0, settledAt: null, ...nothingUnsettled }
    switch (event.type) {
      case 'MerchantRegistered':
      case 'MerchantChanged': {
        const { currency, timeZone } = event.data
        return scheduled({
          ...nothingYet,
          ...(row ?? impliedAccount(merchant, currency)),
          timeZone,
        })
      }
      case 'SettlementAccountRegistered':
      case 'SettlementAccountChanged':
        return scheduled({ ...nothingYet, ...row, ...event.data })
      case 'SettlementStarted':
        // The settlement takes every earlier line; the next line is unsettled.
        return (
          row && {
            ...row,
            ...nothingUnsettled,
            lastSerial: event.data.serial,
            settledAt: event.metadata.at,
          }
        )
    }
  },
  sums: {
    keysOf: ({ merchant }) => [merchant],
    apply: (row, sum) =>
      row && movesMoney(sum) && row.unsettledSince === null
        ? scheduled({ ...row, unsettledSince: sum.at })
        : row,
  },
})

export const settlementAccountQueries = (db: BetterSQLite3Database) => {
  const { merchant, dueAt, unsettledSince, waitsSince } = settlementAccounts
  const dueByClock = dueBy(db, settlementAccounts, dueAt)
  const aheadOfClock = rowsOf(db, settlementAccounts, { where: [gt(waitsSince, param('since'))] })
  /** Rows dated in the future (the clock was ahead) that are already due. */
  const dueAhead = (now: Instant): SettlementAccountRow[] =>
    aheadOfClock.all({ since: now + clockToleranceMs }).filter((row) => {
      const { unsettledSince: since } = row
      return since !== null && isDueByRightClock({ ...row, unsettledSince: since }, now)
    })
  const unsettled = rowsOf(db, settlementAccounts, {
    where: [isNotNull(unsettledSince)],
    order: [asc(merchant)],
  })
  return {
    find: findBy(db, settlementAccounts, merchant),
    /** Longest due first. */
    due: (now: Instant, limit: number) =>
      [...dueByClock(now, limit), ...dueAhead(now)].slice(0, limit),
    nextDue: nextBy(db, settlementAccounts, dueAt),
    /** Accounts with unsettled lines. */
    unsettled: () => unsettled.all(),
  }
}
