import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Recorded } from '../domain/events.ts'
import type { PaymentEvent } from '../domain/payment/payment-events.ts'
import { idIn } from '../domain/stream.ts'
import { plain } from './merchant-list.ts'
import { clientOf, findBy } from './prepared.ts'
import { projection } from './projection.ts'

/**
 * What payments are searched by, many in a row, because it is read from end to end. The row of a
 * merchant grows; a full one is put away under a number and never changes.
 */
export const paymentTexts = sqliteTable('payment_texts', {
  /** `<merchant>`, or `<merchant>/<number>` once it is full. */
  key: text().primaryKey(),
  number: integer().notNull(),
  count: integer().notNull(),
  /** Which parts of up to three characters a full row contains; reading it spares its lines. */
  parts: text().notNull(),
  /** A line for each payment: order number, text, first items, with tabs; in lower case. */
  lines: text().notNull(),
  /** Of each line. */
  tids: text().notNull(),
})

type TextRow = typeof paymentTexts.$inferSelect

const mostInRow = 256

/** In characters: texts may be long. */
const mostText = 16_384

const isFull = ({ count, lines }: TextRow): boolean =>
  count >= mostInRow || lines.length >= mostText

const keyOf = (merchant: string, number: number): string =>
  `${merchant}/${String(number).padStart(9, '0')}`

/** A power of two. A full row sets a tenth to a half of them. */
const filterBits = 8_192

/** The bits of a filter that stand for the parts of one, two and three characters. */
const bitsOf = (text: string): ReadonlySet<number> => {
  const bits = new Set<number>()
  for (let at = 0, one = 0, two = 0; at < text.length; at++) {
    const last = text.charCodeAt(at)
    for (const part of [last, one * 263 + last, two * 7_919 + one * 263 + last])
      bits.add(part & (filterBits - 1))
    ;[two, one] = [one, last]
  }
  return bits
}

/** A Bloom filter with one hash, six bits in a character. */
const partsIn = (text: string): string => {
  const sixes = new Uint8Array(Math.ceil(filterBits / 6)).fill(48)
  for (const bit of bitsOf(text)) sixes[Math.floor(bit / 6)]! += 1 << (bit % 6)
  return String.fromCharCode(...sixes)
}

const mayContain = (parts: string, bits: readonly number[]): boolean =>
  bits.every((bit) => ((parts.charCodeAt(bit / 6) - 48) >> (bit % 6)) & 1)

/** As it is compared: in lower case and on one line. */
export const searchable = (written: string): string => plain(written).replace(/[\t\n]/g, ' ')

type Requested = Recorded<Extract<PaymentEvent, { type: 'PaymentRequested' }>>

/** In characters: a search reads the lines of all payments. */
const mostOfItems = 120

const lineOf = ({ data: { request } }: Requested): string => {
  const { posTid, text, lineItems } = request
  const items = lineItems.map(({ description, productId }) => description ?? productId).join(' ')
  return `${[posTid, text ?? '', items.slice(0, mostOfItems)].map(searchable).join('\t')}\n`
}

export const paymentTextProjection = projection({
  table: paymentTexts,
  handles: ['PaymentRequested'],
  // Rows are large.
  rowsKept: 500,
  keysOf: ({ data }, rowOf) => {
    const { merchant } = data.request
    const growing = rowOf?.(merchant)
    return growing && isFull(growing) ? [keyOf(merchant, growing.number), merchant] : [merchant]
  },
  apply: (row, event, key, rowOf): TextRow | undefined => {
    const { merchant } = event.data.request
    if (key !== merchant) {
      const full = rowOf?.(merchant)
      return full && { ...full, key: String(key), parts: partsIn(full.lines) }
    }
    const [line, tid] = [lineOf(event), `${idIn(event.stream)} `]
    if (row && !isFull(row))
      return { ...row, count: row.count + 1, lines: row.lines + line, tids: row.tids + tid }
    const number = row ? row.number + 1 : 0
    return { key: merchant, number, count: 1, parts: '', lines: line, tids: tid }
  },
})

/** Rows per turn of the event loop: a few milliseconds at most. */
const rowsInTurn = 250

const found = (lines: string, tids: string, part: string): string[] => {
  const ids = tids.split(' ')
  const inOrder = lines
    .split('\n')
    .flatMap((line, at) => (line.includes(part) ? (ids[at] ?? []) : []))
  return inOrder.reverse()
}

export const paymentTextQueries = (db: BetterSQLite3Database) => {
  const find = findBy(db, paymentTexts, paymentTexts.key)
  const full = clientOf(db).prepare(`
    SELECT key, parts FROM payment_texts WHERE key >= @first AND key <= @last ORDER BY key DESC`)
  const foundIn = (row: TextRow | undefined, part: string) =>
    row ? found(row.lines, row.tids, part) : []
  return {
    /**
     * Payments of a merchant whose order number, text or items contain something, newest first.
     * Some rows at a time, so that other work can run in between.
     */
    *containing(merchant: string, sought: string): Generator<readonly string[]> {
      const part = searchable(sought)
      const bits = [...bitsOf(part)]
      const growing = find(merchant)
      yield foundIn(growing, part)
      for (let end = growing?.number ?? 0; end > 0; end -= rowsInTurn) {
        const first = keyOf(merchant, Math.max(0, end - rowsInTurn))
        const range = { first, last: keyOf(merchant, end - 1) }
        const rows = full.all(range) as readonly Pick<TextRow, 'key' | 'parts'>[]
        const read = rows.filter(({ parts }) => mayContain(parts, bits))
        // Also where nothing is found, so that other work can run.
        yield []
        for (const { key } of read) yield foundIn(find(key), part)
      }
    },
  }
}

export type PaymentTexts = ReturnType<typeof paymentTextQueries>
