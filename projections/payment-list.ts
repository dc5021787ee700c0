import { and, asc, desc, eq, gt, gte, lt, lte, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Instant } from '../domain/time.ts'
import {
  hasCustomer,
  hasFailed,
  isOpen,
  isInOwnLedger,
  isRefunded,
  isShownOtherwise,
  paymentTable,
  listedAmount,
  type PaymentRow,
} from './payment-table.ts'
import { columnsOf, findBy, param, prepared, rowsOf, same } from './prepared.ts'

/** The end of a page; the next one starts after it. */
export type PaymentPlace = {
  readonly amount: number
  readonly at: Instant
  readonly position: number
}

/** Payments from a time on, after a place in the order. */
export type PaymentRange = {
  readonly since: Instant
  readonly behind: PaymentPlace
  readonly limit: number
}

/** With a minimum amount, and before a time. */
type AmountRange = PaymentRange & { readonly least: number; readonly before: Instant }

/** The place before the first entry of every list. */
export const listStart: PaymentPlace = {
  amount: Number.MAX_SAFE_INTEGER,
  at: Number.MAX_SAFE_INTEGER,
  position: Number.MAX_SAFE_INTEGER,
}

export const placeOf = (row: PaymentRow): PaymentPlace => ({
  amount: row.amount,
  at: row.requestedAt,
  position: row.requestedPosition,
})

const { merchant, posId, ledger, amount, customerKey, isWaiting, deadline } = paymentTable
const { requestedAt, requestedPosition } = paymentTable

const isBehind = sql`(${requestedAt}, ${requestedPosition}) <
  (${param('at')}, ${param('position')})`
const isSince = gte(requestedAt, param('since'))

type Query<Row> = {
  toSQL(): { readonly sql: string; readonly params: unknown[] }
  all(): Row[]
}

/** Payments that have expired and are recorded as open; soon after they are not. */
const mostOverdue = 1_000

/** Otherwise SQLite chooses a wider index than necessary. */
const through = <Row>(index: string, query: Query<Row>): Query<Row> => ({
  all: () => query.all(),
  toSQL: () => {
    const { sql: text, params } = query.toSQL()
    return { sql: text.replace('"payments"', `$& indexed by "payments_${index}"`), params }
  },
})

const newestIn = (db: BetterSQLite3Database) => (index: string, condition?: SQL) => {
  const query = db
    .select()
    .from(paymentTable)
    .where(and(same(merchant), condition, isSince, isBehind))
    .orderBy(desc(requestedAt), desc(requestedPosition))
    .limit(param('limit'))
  // Prepared on first use: a file under construction gets its indexes last.
  return prepared<PaymentRow>(db, paymentTable, through(index, query))
}

const overdueIn = (db: BetterSQLite3Database) => {
  const query = db
    .select()
    .from(paymentTable)
    .where(and(same(merchant), lte(deadline, param('now'))))
    .limit(mostOverdue)
  return prepared<PaymentRow>(db, paymentTable, through('by_deadline', query))
}

/** Largest first; equal amounts newest first. */
const largestIn = (db: BetterSQLite3Database) =>
  rowsOf(db, paymentTable, {
    where: [
      same(merchant),
      sql`(${amount}, ${requestedAt}, ${requestedPosition}) <
            (${param('amount')}, ${param('at')}, ${param('position')})`,
      gte(amount, param('least')),
      isSince,
      lt(requestedAt, param('before')),
    ],
    order: [desc(amount), desc(requestedAt), desc(requestedPosition)],
    limit: param('limit'),
  })

/** Whether more than `limit` payments were requested in a period; reads only the index. */
const areMoreIn = (db: BetterSQLite3Database) => {
  const beyond = prepared(
    db,
    paymentTable,
    db
      .select({ requestedAt })
      .from(paymentTable)
      .where(and(eq(merchant, param('merchant')), isSince, lt(requestedAt, param('before'))))
      .orderBy(asc(requestedAt))
      .limit(1)
      .offset(param('count')),
  )
  return (merchant: string, since: Instant, before: Instant, count: number): boolean =>
    beyond.get({ merchant, since, before, count }) !== undefined
}

/** Ids of points of sale that occur in payments, found by skipping through the index. */
const posIdsIn = (db: BetterSQLite3Database) => {
  const next = columnsOf(db, paymentTable, {
    columns: { posId },
    where: [same(merchant), gt(posId, param('after'))],
    order: [asc(posId)],
    limit: 1,
  })
  return (merchant: string, most: number): string[] => {
    const found: string[] = []
    for (let row = next.get({ merchant, after: '' }); row && found.length < most;) {
      found.push(row.posId)
      row = next.get({ merchant, after: row.posId })
    }
    return found
  }
}

/** Fewer hexadecimal digits begin many ids. */
const startOfTid = /^[\da-f]{6,32}$/

const withTidIn = (db: BetterSQLite3Database) => {
  const { tid } = paymentTable
  const query = rowsOf(db, paymentTable, {
    // The plus keeps the search to the primary key.
    where: [gte(tid, param('start')), lt(tid, param('end')), sql`+${same(merchant)}`],
    limit: param('limit'),
  })
  return (merchant: string, typed: string, limit: number): PaymentRow[] => {
    const start = typed.toLowerCase()
    return startOfTid.test(start) ? query.all({ merchant, start, end: `${start}g`, limit }) : []
  }
}

/** Lists of a merchant's payments. Each reads an index in order. */
export const paymentListQueries = (db: BetterSQLite3Database) => {
  const newest = newestIn(db)
  const all = newest('by_time')
  const atPos = newest('by_pos', same(posId))
  const inLedger = newest('by_ledger', and(same(ledger), isInOwnLedger))
  const ofAmount = newest('by_amount', eq(amount, param('exactly')))
  const otherwise = and(sql`${listedAmount} = ${param('exactly')}`, isShownOtherwise)
  const ofListed = newest('by_shown_amount', otherwise)
  const ofCustomer = newest('by_customer', and(eq(customerKey, param('customer')), hasCustomer))
  const open = newest('open', and(same(isWaiting), isOpen))
  const failed = newest('failed', hasFailed)
  const refunded = newest('refunded', isRefunded)
  const overdue = overdueIn(db)
  const largest = largestIn(db)
  const bound = (merchant: string, { behind, ...range }: PaymentRange) => ({
    merchant,
    ...range,
    ...behind,
  })
  return {
    find: findBy(db, paymentTable, paymentTable.tid),
    /** Whose id begins so, if enough of it is given. */
    ofTidStart: withTidIn(db),
    posIds: posIdsIn(db),
    areMore: areMoreIn(db),
    newest: (merchant: string, range: PaymentRange) => all.all(bound(merchant, range)),
    atPos: (merchant: string, posId: string, range: PaymentRange) =>
      atPos.all({ ...bound(merchant, range), posId }),
    /** Of a ledger other than `default`. */
    inLedger: (merchant: string, ledger: string, range: PaymentRange) =>
      inLedger.all({ ...bound(merchant, range), ledger }),
    ofAmount: (merchant: string, exactly: number, range: PaymentRange) =>
      ofAmount.all({ ...bound(merchant, range), exactly }),
    /** Of which lists show this amount, and not the one requested. */
    ofShown: (merchant: string, exactly: number, range: PaymentRange) =>
      ofListed.all({ ...bound(merchant, range), exactly }),
    ofCustomer: (merchant: string, customer: string, range: PaymentRange) =>
      ofCustomer.all({ ...bound(merchant, range), customer }),
    /** Payments that wait for their payer, or are authorised. */
    open: (merchant: string, isWaiting: boolean, range: PaymentRange) =>
      open.all({ ...bound(merchant, range), isWaiting: Number(isWaiting) }),
    failed: (merchant: string, range: PaymentRange) => failed.all(bound(merchant, range)),
    /** Expired by now, and not recorded so yet. */
    overdue: (merchant: string, now: Instant) => overdue.all({ merchant, now }),
    refunded: (merchant: string, range: PaymentRange) => refunded.all(bound(merchant, range)),
    largest: (merchant: string, { least, before, ...range }: AmountRange) =>
      largest.all({ ...bound(merchant, range), least, before }),
  }
}

export type PaymentLists = ReturnType<typeof paymentListQueries>
