import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { jsonEquals } from '../../domain/json-equality.ts'
import { projections, type queriesOf } from '../../projections/read-models.ts'
import { type ReadModelFile, quoted } from '../../infrastructure/read-models/read-model-file.ts'
import type { AuditRows } from '../explain/needs.ts'
import type { MoneyLineRange, SummedLines } from '../../domain/accounting/money-line.ts'
import { ledgerStream } from '../../projections/ledgers.ts'
import { nextTurn } from '../../application/machine.ts'

export type Queries = Pick<ReturnType<typeof queriesOf>, 'accounting' | 'audit'>

/** Lines read per turn of the event loop, which takes some milliseconds. */
export const linesInTurn = 10_000

export const sumKey = ({ merchant, currency, action }: SummedLines): string =>
  `${merchant} ${currency} ${action}`

export const plus = (one: SummedLines | undefined, other: SummedLines): SummedLines =>
  one
    ? {
        ...one,
        count: one.count + other.count,
        amount: one.amount + other.amount,
        additionalAmount: one.additionalAmount + other.additionalAmount,
        fee: one.fee + other.fee,
        interchange: one.interchange + other.interchange,
        vat: one.vat + other.vat,
      }
    : other

/** Reads lines in parts, so that requests are answered in between. */
export const linesInParts = (
  { lines, sums, linesFurther }: Queries['audit']['rows'],
  inTurn: number,
) => {
  async function* partsOf(range: MoneyLineRange): AsyncGenerator<MoneyLineRange> {
    let { after } = range
    for (;;) {
      const last = linesFurther(after, inTurn)
      if (last === undefined || last >= range.before) return yield { ...range, after }
      yield { ...range, after, before: last + 1 }
      after = last
      await nextTurn()
    }
  }
  return {
    lines: async (range: MoneyLineRange, limit: number) => {
      const found = []
      for await (const part of partsOf(range)) {
        found.push(...lines(part, limit - found.length))
        if (found.length >= limit) break
      }
      return found
    },
    sums: async (range: MoneyLineRange) => {
      const all = new Map<string, SummedLines>()
      for await (const part of partsOf(range))
        for (const sum of sums(part)) all.set(sumKey(sum), plus(all.get(sumKey(sum)), sum))
      return [...all.values()]
    },
  }
}

/** The auditors' queries over the read models. */
export const auditRowsOf = (
  { accounting, audit: { rows } }: Queries,
  inTurn = linesInTurn,
): AuditRows => {
  const { ledgers, reports, settlements } = accounting
  return {
    ...rows,
    ...linesInParts(rows, inTurn),
    report: reports.find,
    openReport: (merchant, ledger) => ledgers.find(merchant, ledger)?.open,
    reportHolding: (merchant, ledger, position) => {
      const stream = ledgerStream(merchant, ledger)
      const { number, after } = reports.open(stream)
      return position > after ? number : (reports.closedAfter(stream, position) ?? number)
    },
    settlement: settlements.find,
  }
}

/** A table, and the columns that identify and order its rows. */
type ComparedTable = {
  readonly name: string
  readonly keys: readonly string[]
  readonly columns: readonly { readonly name: string; readonly isJson: boolean }[]
}

const columnOf = ({ name, dataType }: SQLiteColumn) => ({ name, isJson: dataType === 'json' })

const plain = (name: string) => ({ name, isJson: false })

/** Every table of the read models. */
export const comparedTables: readonly ComparedTable[] = [
  ...projections.map(({ table, key }) => ({
    name: getTableName(table),
    keys: [key.name],
    columns: Object.values(getTableColumns(table)).map(columnOf),
  })),
  {
    name: 'tiles',
    keys: ['level', 'number'],
    columns: ['level', 'number', 'first', 'hashes', 'positions'].map(plain),
  },
  { name: 'moments', keys: ['at'], columns: ['at', 'position'].map(plain) },
  {
    name: 'checkpoint',
    keys: ['one'],
    columns: ['one', 'position', 'event', 'stream', 'revision'].map(plain),
  },
]

type Cell = string | number | Buffer | null

type Row = readonly Cell[]

type RowKey = readonly Cell[]

/** The first difference between two files: a missing row, or a differing column. */
export type Difference = {
  readonly table: string
  readonly key: RowKey
} & (
  | { readonly column: string; readonly live: Cell; readonly fresh: Cell }
  | { readonly onlyIn: 'live' | 'fresh' }
)

const isSame = (one: Cell, other: Cell, isJson: boolean): boolean => {
  if (one === other) return true
  if (one instanceof Uint8Array && other instanceof Uint8Array)
    return Buffer.compare(one, other) === 0
  // The order of members has no meaning.
  return (
    isJson &&
    typeof one === 'string' &&
    typeof other === 'string' &&
    jsonEquals(JSON.parse(one), JSON.parse(other))
  )
}

const rowsOf = ({ sqlite }: ReadModelFile, { name, keys, columns }: ComparedTable) => {
  const listed = columns.map((column) => quoted(column.name)).join(', ')
  const key = keys.map(quoted).join(', ')
  const select = (where: string) =>
    sqlite
      .prepare<unknown[], Row>(
        `SELECT ${listed} FROM ${quoted(name)} ${where} ORDER BY ${key} LIMIT ? + 0`,
      )
      .raw()
  const placeholders = keys.map(() => '?').join(', ')
  const first = select('')
  const next = select(`WHERE (${key}) > (${placeholders})`)
  const found = select(`WHERE (${key}) = (${placeholders})`)
  return {
    page: (after: RowKey | undefined, limit: number): readonly Row[] =>
      after ? next.all(...after, limit) : first.all(limit),
    has: (id: RowKey): boolean => found.get(...id, 1) !== undefined,
  }
}

/** Compares a table of two files in key order, page by page. */
export const comparePages = (live: ReadModelFile, fresh: ReadModelFile, table: ComparedTable) => {
  const [ofLive, ofFresh] = [rowsOf(live, table), rowsOf(fresh, table)]
  const { name, columns } = table
  const keyColumns = table.keys.map((key) => columns.findIndex((column) => column.name === key))
  const keyOf = (row: Row): RowKey => keyColumns.map((index) => row[index] ?? null)
  const isSameKey = (one: RowKey, other: RowKey): boolean =>
    one.every((cell, index) => isSame(cell, other[index] ?? null, false))

  const compare = (one: Row, other: Row): Difference | undefined => {
    const key = keyOf(one)
    if (!isSameKey(key, keyOf(other)))
      // The row missing in the other file comes first.
      return ofFresh.has(key)
        ? { table: name, key: keyOf(other), onlyIn: 'fresh' }
        : { table: name, key, onlyIn: 'live' }
    const index = columns.findIndex(
      ({ isJson }, at) => !isSame(one[at] ?? null, other[at] ?? null, isJson),
    )
    const column = columns[index]?.name
    if (column === undefined) return undefined
    return { table: name, key, column, live: one[index] ?? null, fresh: other[index] ?? null }
  }

  /** The last key of the page, and the first difference. */
  return (after: RowKey | undefined, limit: number) => {
    const [lives, freshes] = [ofLive.page(after, limit), ofFresh.page(after, limit)]
    for (const [index, row] of lives.entries()) {
      const other = freshes[index]
      const difference: Difference | undefined = other
        ? compare(row, other)
        : { table: name, key: keyOf(row), onlyIn: 'live' }
      if (difference) return { difference, rows: index }
    }
    const more = freshes[lives.length]
    if (more)
      return {
        difference: { table: name, key: keyOf(more), onlyIn: 'fresh' } as Difference,
        rows: lives.length,
      }
    const last = lives.at(-1)
    return { last: last && lives.length === limit ? keyOf(last) : undefined, rows: lives.length }
  }
}
