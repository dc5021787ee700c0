import { eq, gte, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { nameOf, signedSum } from '../domain/accounting/funding-match.ts'
import { unplaced, type Place, type Receipt } from '../domain/accounting/funding-receipt.ts'
import { halfHourMs, type LineSum } from '../domain/accounting/line-sums.ts'
import { addUp, negated, type Sum } from '../domain/money/money.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { clientOf, findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'
import { spanStart } from './turnover.ts'

/** What was captured and refunded in a half hour: days of any time zone follow from them. */
const fundedHalves = sqliteTable(
  'funded_halves',
  {
    /** `<since> <currency>` */
    key: text().primaryKey(),
    since: integer().notNull(),
    currency: text().notNull(),
    captured: integer().notNull(),
    /** Below zero. */
    refunded: integer().notNull(),
  },
  (row) => [index('funded_halves_by_time').on(row.since)],
)

const isFunded = ({ action }: LineSum): boolean => action === 'capture' || action === 'refund'

export const fundedHalfProjection = projection({
  table: fundedHalves,
  handles: [],
  keysOf: () => [],
  apply: (row) => row,
  sums: {
    keysOf: (line) =>
      isFunded(line) ? [`${spanStart(line.at, halfHourMs)} ${line.currency}`] : [],
    apply: (row, { at, currency, action, amount, additionalAmount }, key) => {
      const { captured, refunded } = row ?? { captured: 0, refunded: 0 }
      const gross = amount + additionalAmount
      return {
        key: String(key),
        since: spanStart(at, halfHourMs),
        currency,
        captured: captured + (action === 'capture' ? gross : 0),
        refunded: refunded + (action === 'refund' ? gross : 0),
      }
    },
  },
})

/** Movements on accounts where funding arrives. */
const receipts = sqliteTable(
  'funding_receipts',
  {
    id: text().primaryKey(),
    position: integer().notNull(),
    name: text(),
    receipt: text({ mode: 'json' }).$type<Receipt>().notNull(),
    place: text({ mode: 'json' }).$type<Place>(),
    sameAs: text(),
    /** What nothing expected, below zero if it left the account. */
    rest: text().$type<Sum>().notNull(),
  },
  (row) => [
    index('funding_receipts_by_name').on(row.name),
    index('funding_receipts_unplaced')
      .on(row.position)
      .where(sql`rest <> '0'`),
  ],
)

export const fundingReceiptProjection = projection({
  table: receipts,
  handles: ['FundingReceiptSeen', 'FundingReceiptPlaced'],
  begins: ['FundingReceiptSeen'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event, key) => {
    if (event.type === 'FundingReceiptSeen') {
      const { position, data: receipt } = event
      const about = { id: String(key), position, name: nameOf(receipt), receipt }
      return { ...about, ...unplaced, rest: signedSum(receipt) }
    }
    const { place, sameAs } = event.data
    const isPlaced = place !== null || sameAs !== null
    return row && { ...row, place, sameAs, rest: isPlaced ? '0' : signedSum(row.receipt) }
  },
})

/** What was received for each day of the funding source. */
const fundingDays = sqliteTable('funding_days', {
  /** `<day>-<currency>` */
  key: text().primaryKey(),
  day: text().notNull(),
  currency: text().notNull(),
  received: text().$type<Sum>().notNull(),
  /** Withheld fees and disputes. */
  explained: text().$type<Sum>().notNull(),
  /** The captures that were paid by name, in minor units. */
  named: integer().notNull(),
  /** Batches by the rate that they withhold. */
  rates: text({ mode: 'json' }).$type<Readonly<Record<string, number>>>().notNull(),
})

export const dayKey = (day: string, currency: string): string => `${day}-${currency}`

type DayRow = typeof fundingDays.$inferSelect

const withPlace = (row: DayRow, place: Place, sign: 1 | -1): DayRow => {
  const signed = (sum: Sum) => (sign === 1 ? sum : negated(sum))
  const { rate, received, explained, captured } = place
  const batches = rate === null ? 0 : (row.rates[rate] ?? 0) + sign
  return {
    ...row,
    received: addUp(row.received, signed(received)),
    explained: addUp(row.explained, signed(explained)),
    named: row.named + sign * captured,
    rates: rate === null ? row.rates : { ...row.rates, [rate]: batches },
  }
}

export const fundingDayProjection = projection({
  table: fundingDays,
  handles: ['FundingReceiptPlaced'],
  keysOf: ({ data: { place, before, currency } }) => [
    ...new Set([before, place].flatMap((one) => (one ? [dayKey(one.day, currency)] : []))),
  ],
  apply: (row, { data: { place, before, currency } }, key) => {
    const [day, sums] = [String(key).slice(0, 10), { received: '0', explained: '0', named: 0 }]
    let next: DayRow = row ?? { key: String(key), day, currency, ...sums, rates: {} }
    if (before?.day === day) next = withPlace(next, before, -1)
    return place?.day === day ? withPlace(next, place, 1) : next
  },
})

/** What people have done about differences. */
const differences = sqliteTable('funding_differences', {
  key: text().primaryKey(),
  owner: text(),
  notes: text({ mode: 'json' })
    .$type<readonly { readonly at: Instant; readonly by: string; readonly text: string }[]>()
    .notNull(),
  closed: text().$type<Sum>().notNull(),
  closings: integer().notNull(),
  /** What batches withhold by their rate, as far as it is booked. */
  fee: text().$type<Sum>().notNull(),
})

export type DifferenceRow = typeof differences.$inferSelect

export const fundingDifferenceProjection = projection({
  table: differences,
  handles: ['FundingDifferenceTaken', 'FundingDifferenceClosed', 'FundingFeeWithheld'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (before, { type, data, metadata: { at } }, key) => {
    const row = before ?? {
      key: String(key),
      owner: null,
      notes: [],
      closed: '0',
      closings: 0,
      fee: '0',
    }
    if (type === 'FundingFeeWithheld') return { ...row, fee: data.fee }
    const { by } = data
    const text = type === 'FundingDifferenceTaken' ? data.note : data.reason
    const notes = text === null ? row.notes : [...row.notes, { at, by, text }]
    if (type === 'FundingDifferenceTaken') return { ...row, notes, owner: by }
    const { closed, closings } = row
    return { ...row, notes, closed: addUp(closed, data.amount), closings: closings + 1 }
  },
})

/** What was captured and refunded between two instants, by currency. */
export type Funded = {
  readonly currency: string
  readonly captured: number
  readonly refunded: number
}

export const fundingQueries = (db: BetterSQLite3Database) => {
  const client = clientOf(db)
  const funded = client.prepare(`
    SELECT currency, sum(captured) AS captured, sum(refunded) AS refunded FROM funded_halves
    WHERE since >= @start AND since < @end GROUP BY currency`)
  const moved = client.prepare(`
    SELECT position, at, action, currency, amount + additionalAmount AS gross
    FROM transaction_lines WHERE tid = @tid AND balance IS NOT NULL ORDER BY position`)
  // Closed ones that were explained by a file later are open again, the other way round.
  const openReceipts = client.prepare(`
    SELECT id FROM funding_receipts LEFT JOIN funding_differences ON key = id
    WHERE rest <> '0' AND rest + coalesce(closed, 0) <> 0
    UNION SELECT id FROM funding_differences JOIN funding_receipts ON key = id
    WHERE closed <> '0' AND rest = '0'`)
  const find = findBy(db, receipts, receipts.id)
  const named = rowsOf(db, receipts, { where: [same(receipts.name)] })
  const { day } = fundingDays
  const days = rowsOf(db, fundingDays, {
    where: [gte(day, param('since')), lt(day, param('until'))],
  })
  const closedDays = rowsOf(db, differences, {
    where: [gte(differences.key, param('since')), lt(differences.key, param('until'))],
  })
  const difference = rowsOf(db, differences, { where: [eq(differences.key, param('key'))] })
  return {
    find,
    named: (name: string) => named.all({ name }),
    linesOf: (tid: string) =>
      moved.all({ tid }) as readonly {
        readonly position: number
        readonly at: Instant
        readonly action: string
        readonly currency: string
        readonly gross: number
      }[],
    funded: (start: Instant, end: Instant) => funded.all({ start, end }) as readonly Funded[],
    /** Of the days from one on and before another. */
    days: (since: string, until: string): readonly DayRow[] => days.all({ since, until }),
    differencesOfDays: (since: string, until: string) => closedDays.all({ since, until }),
    difference: (key: string): DifferenceRow | undefined => difference.get({ key }),
    /** Receipts that nothing expected, and nobody has closed. */
    openReceipts: () =>
      (openReceipts.all() as readonly { readonly id: string }[]).flatMap(
        ({ id }) => find(id) ?? [],
      ),
  }
}

export type FundingQueries = ReturnType<typeof fundingQueries>
