import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { duePayouts, type PayoutStatus } from '../domain/accounting/payout-state.ts'
import { currencies } from '../domain/money/currency.ts'
import type { Sum } from '../domain/money/money.ts'
import { clientOf, param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Payouts of all merchants by status and the bank's day; `settlements` has the rest. */
const payouts = sqliteTable(
  'payouts',
  {
    /** `<merchant>/<serial>/<currency>` */
    key: text().primaryKey(),
    merchant: text().notNull(),
    serial: integer().notNull(),
    currency: text().notNull(),
    status: text().$type<PayoutStatus>().notNull(),
    /** When it is to be paid, was paid, or came back: `YYYY-MM-DD`. */
    day: text().notNull(),
    amount: text().$type<Sum>().notNull(),
  },
  (row) => [
    // Covering indexes, so that sums read no rows.
    index('payouts_by_day').on(row.status, row.day, row.key, row.currency, row.amount),
    index('payouts_by_merchant').on(row.merchant, row.status, row.day, row.key),
  ],
)

export type PayoutRow = typeof payouts.$inferSelect

const keyOf = (merchant: string | null, serial: number, currency: string): string =>
  `${merchant ?? ''}/${serial}/${currency}`

const currencyIn = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

export const payoutProjection = projection({
  table: payouts,
  handles: ['SettlementMade', 'PayoutOrdered', 'PayoutPaid', 'PayoutReturned'],
  begins: ['SettlementMade'],
  keysOf: ({ type, metadata: { merchant }, data }) => {
    const keys = (of: readonly string[]) => of.map((one) => keyOf(merchant, data.serial, one))
    switch (type) {
      case 'SettlementMade':
        return keys(duePayouts(data).map(({ currency }) => currency))
      case 'PayoutOrdered': {
        const paid = data.paid.map(({ currency }) => currency)
        // An order of the first version has no amounts and covers everything.
        return keys(paid.length > 0 ? paid : currencies)
      }
      case 'PayoutPaid':
      case 'PayoutReturned':
        return keys([data.currency])
    }
  },
  apply: (row, { type, metadata, data }, rowKey): PayoutRow | undefined => {
    const key = String(rowKey)
    switch (type) {
      case 'SettlementMade': {
        const currency = currencyIn(key)
        const due = duePayouts(data).find((one) => one.currency === currency)
        const { status, day, amount } = due ?? {}
        if (status === undefined || day === undefined || amount === undefined) return undefined
        const about = { merchant: metadata.merchant ?? '', serial: data.serial }
        return { key, ...about, currency, status, day, amount }
      }
      case 'PayoutOrdered':
        return row && { ...row, status: 'ordered', day: data.payoutDay }
      case 'PayoutPaid':
        return row && { ...row, status: 'paid', day: data.day }
      case 'PayoutReturned':
        return row && { ...row, status: 'returned', day: data.day }
    }
  },
})

/** A place in a list; later places are of earlier days. */
export type PayoutPlace = { readonly day: string; readonly key: string }

export type PayoutRange = {
  readonly status: PayoutStatus
  /** Null for all. */
  readonly merchant: string | null
  /** The first and the last day. */
  readonly since: string
  readonly until: string
}

export type PayoutSum = {
  readonly day: string
  readonly currency: string
  readonly count: number
  readonly amount: Sum
}

/** The payouts of a merchant of one status, day and currency. */
export type PayoutGroup = {
  readonly status: PayoutStatus
  readonly day: string
  readonly currency: string
  readonly count: number
  readonly sum: Sum
  /** Of the newest. */
  readonly serial: number
  readonly earliest: number
}

type PayoutOfAmount = Pick<PayoutRow, 'serial' | 'currency'>

type PayoutTotal = {
  readonly currency: string
  readonly count: number
  readonly sum: Sum
}

export const earliestDay = '0000-00-00'
export const latestDay = '9999-99-99'

/** The place before all payouts of a range. */
export const firstPlace = ({ until }: PayoutRange): PayoutPlace => ({ day: until, key: '~' })

type Found = { readonly day: string | null }

const inRange = (isOfMerchant: boolean): string =>
  `${isOfMerchant ? 'merchant = @merchant AND' : ''} status = @status
   AND day >= @since AND day <= @until`

const sumText = (isOfMerchant: boolean): string => `
  SELECT day, currency, count(*) AS count, CAST(sum(CAST(amount AS INTEGER)) AS TEXT) AS amount
  FROM payouts WHERE ${inRange(isOfMerchant)} GROUP BY day, currency ORDER BY day DESC, currency`

const dayBefore = (isOfMerchant: boolean): string => `
  SELECT max(day) AS day FROM payouts
  WHERE ${inRange(isOfMerchant)} AND day < @before`

const byCurrency = `
  SELECT currency, count(*) AS count, CAST(sum(CAST(amount AS INTEGER)) AS TEXT) AS sum
  FROM payouts WHERE status = @status GROUP BY currency ORDER BY currency`

const groupsOfMerchant = `
  SELECT status, day, currency, count(*) AS count, max(serial) AS serial, min(serial) AS earliest,
    CAST(sum(CAST(amount AS INTEGER)) AS TEXT) AS sum
  FROM payouts WHERE merchant = @merchant
    AND (status IN ('due', 'ordered', 'returned') OR status = 'paid' AND day >= @since)
  GROUP BY status, day, currency ORDER BY day, status, currency`

const ofMerchantAmount = `
  SELECT serial, currency FROM payouts
  WHERE merchant = @merchant AND status IN ('due', 'ordered', 'returned', 'paid')
    AND amount = @amount ORDER BY serial DESC LIMIT @limit + 0`

export const payoutQueries = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  const both = (text: (isOfMerchant: boolean) => string) => {
    const [ofAll, ofOne] = [client.prepare(text(false)), client.prepare(text(true))]
    return ({ merchant }: PayoutRange) => (merchant === null ? ofAll : ofOne)
  }
  const page = (isOfMerchant: boolean) =>
    rowsOf(db, payouts, {
      where: [
        sql`${isOfMerchant ? sql`merchant = ${param('merchant')} and` : sql``}
            status = ${param('status')} and day >= ${param('since')}
            and (day, key) < (${param('day')}, ${param('key')})`,
      ],
      order: [sql`day desc, key desc`],
      limit: param('limit'),
    })
  const [pageOfAll, pageOfOne] = [page(false), page(true)]
  const [sums, dayWithSome] = [both(sumText), both(dayBefore)]
  const totals = client.prepare(byCurrency)
  const groups = client.prepare(groupsOfMerchant)
  const ofAmount = client.prepare(ofMerchantAmount)
  return {
    /** Latest days first, after a place. */
    list: (range: PayoutRange, { day, key }: PayoutPlace, limit: number): readonly PayoutRow[] =>
      (range.merchant === null ? pageOfAll : pageOfOne).all({ ...range, day, key, limit }),
    /** By day and currency, for the last days of the range that have payouts. */
    sums: (range: PayoutRange, mostDays: number): readonly PayoutSum[] => {
      let since = latestDay
      for (let days = 0; days < mostDays; days++) {
        const found = dayWithSome(range).get({ ...range, before: since }) as Found
        if (found.day === null) break
        since = found.day
      }
      return sums(range).all({ ...range, since }) as readonly PayoutSum[]
    },
    /** Those that have not arrived, and those that have since a day; earliest first. */
    ofMerchant: (merchant: string, since: string): readonly PayoutGroup[] =>
      groups.all({ merchant, since }) as readonly PayoutGroup[],
    /** Newest first. */
    ofAmount: (merchant: string, amount: Sum, limit: number) =>
      ofAmount.all({ merchant, amount, limit }) as readonly PayoutOfAmount[],
    totals: (status: PayoutStatus): readonly PayoutTotal[] =>
      totals.all({ status }) as readonly PayoutTotal[],
  }
}
