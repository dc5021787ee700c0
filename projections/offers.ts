import { asc, desc, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { idIn } from '../domain/stream.ts'
import { clientOf, findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

/** Payment links that many may pay. */
const offers = sqliteTable(
  'offers',
  {
    id: text().primaryKey(),
    merchant: text().notNull(),
    posId: text().notNull(),
    currency: text().notNull(),
    amount: integer().notNull(),
    text: text().notNull(),
    until: integer(),
    stock: integer(),
    isEnded: integer({ mode: 'boolean' }).notNull(),
    /** Payments that wait or are paid. */
    held: integer().notNull(),
    position: integer().notNull(),
  },
  (row) => [index('offers_by_merchant').on(row.merchant, row.position)],
)

export type OfferRow = typeof offers.$inferSelect

export const offerProjection = projection({
  table: offers,
  handles: ['OfferMade', 'OfferStockChanged', 'OfferEnded', 'OfferTaken', 'OfferGivenBack'],
  begins: ['OfferMade'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    if (event.type === 'OfferMade') {
      const { stream, position, data } = event
      return { id: idIn(stream), ...data, isEnded: false, held: 0, position }
    }
    if (!row) return undefined
    switch (event.type) {
      case 'OfferStockChanged':
        return { ...row, stock: event.data.stock }
      case 'OfferEnded':
        return { ...row, isEnded: true }
      case 'OfferTaken':
        return { ...row, held: row.held + 1 }
      case 'OfferGivenBack':
        return { ...row, held: row.held - 1 }
    }
  },
})

const isDue = sql`isDue = 1`

/** Payments that hold one of an offer, until they are given back. */
const offerHolds = sqliteTable(
  'offer_holds',
  {
    tid: text().primaryKey(),
    offer: text().notNull(),
    merchant: text().notNull(),
    payer: text().notNull(),
    posTid: text().notNull(),
    /** Zero until it is requested. */
    amount: integer().notNull(),
    isOver: integer({ mode: 'boolean' }).notNull(),
    /** Whether the service must act. */
    isDue: integer({ mode: 'boolean' }).notNull(),
    position: integer().notNull(),
  },
  (row) => [index('offer_holds_due').on(row.position).where(isDue)],
)

export const offerHoldProjection = projection({
  table: offerHolds,
  handles: [
    'OfferTaken',
    'OfferGivenBack',
    'PaymentRequested',
    'PaymentDeclined',
    'PaymentFailed',
    'PaymentAborted',
    'PaymentExpired',
    'PaymentReleased',
    'PaymentAuthorizationExpired',
  ],
  begins: ['OfferTaken'],
  keysOf: (event) => {
    if ('tid' in event.data) return [event.data.tid]
    const isOfAnother =
      event.type === 'PaymentRequested' && !event.data.request.customer?.startsWith('shortlink_id:')
    return isOfAnother ? [] : [idIn(event.stream)]
  },
  apply: (row, event) => {
    if (event.type === 'OfferTaken') {
      const { stream, position, data, metadata } = event
      const about = { offer: idIn(stream), merchant: metadata.merchant ?? '', position }
      return { ...data, ...about, amount: 0, isOver: false, isDue: true }
    }
    if (!row || event.type === 'OfferGivenBack') return undefined
    const over = { ...row, isOver: true, isDue: true }
    switch (event.type) {
      case 'PaymentRequested':
        return { ...row, amount: event.data.request.amount, isDue: false }
      case 'PaymentReleased':
      case 'PaymentAuthorizationExpired':
        // Else a part was captured.
        return event.data.amount === row.amount ? over : row
      default:
        return over
    }
  },
})

type Examined = { readonly examined: number }

/** A page adds them up for each look. */
const mostSummed = 10_000

export type Paid = { readonly count: number; readonly captured: number; readonly refunded: number }

export const offerQueries = (db: BetterSQLite3Database) => {
  const page = rowsOf(db, offers, {
    where: [same(offers.merchant), lt(offers.position, param('before'))],
    order: [desc(offers.position)],
    limit: param('limit'),
  })
  const due = rowsOf(db, offerHolds, {
    where: [isDue],
    order: [asc(offerHolds.position)],
    limit: param('limit'),
  })
  const paid = clientOf(db).prepare(`
    SELECT count(*) AS examined, coalesce(sum(captured > 0), 0) AS count,
      coalesce(sum(captured), 0) AS captured, coalesce(sum(refunded), 0) AS refunded
    FROM (
      SELECT captured, refunded FROM payments
      WHERE merchant = @merchant AND customerKey = @customer AND customerKey is not null
      LIMIT ${mostSummed + 1})`)
  return {
    find: findBy(db, offers, offers.id),
    list: (merchant: string, before: number, limit: number): readonly OfferRow[] =>
      page.all({ merchant, before, limit }),
    /** Of the payments of a customer, such as a link; undefined if they are too many to add up. */
    paid: (merchant: string, customer: string): Paid | undefined => {
      const { examined, ...sums } = paid.get({ merchant, customer }) as Paid & Examined
      return examined > mostSummed ? undefined : sums
    },
    due: (limit: number) => due.all({ limit }),
    hold: findBy(db, offerHolds, offerHolds.tid),
  }
}

export type OfferQueries = ReturnType<typeof offerQueries>
