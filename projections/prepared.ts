import {
  and,
  eq,
  getTableColumns,
  is,
  Param,
  Placeholder,
  sql,
  type GetColumnData,
  type Query,
  type SQL,
  asc,
  gt,
  lte,
} from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Sum } from '../domain/money/money.ts'
import type { Instant } from '../domain/time.ts'
import { isAuthorized, paymentTable } from './payment-table.ts'

type Values = Readonly<Record<string, unknown>>

type Value = (values: Values) => unknown

type Decode = (value: unknown) => unknown

/** Whether values are stored unchanged. */
export const isPlain = ({ dataType }: SQLiteColumn): boolean =>
  dataType !== 'json' && dataType !== 'boolean'

/** The row member of a column, and its decoder. */
const memberOf = (table: SQLiteTable, name: string): readonly [string, Decode | undefined] => {
  const found = Object.entries(getTableColumns(table)).find(([, column]) => column.name === name)
  if (!found) throw new Error(`${name} is not a column`)
  const [member, column] = found
  return [member, isPlain(column) ? undefined : (value) => column.mapFromDriverValue(value)]
}

/**
 * Builds rows from raw values, because SQLite's own objects name each column again for each row.
 */
export const decoderOf = (table: SQLiteTable, columns: readonly string[]) => {
  const members = columns.map((name) => memberOf(table, name))
  return <Row>(stored: unknown): Row => {
    const row: Record<string, unknown> = {}
    let index = 0
    for (const [member, decode] of members) {
      const value = (stored as readonly unknown[])[index++]
      row[member] = decode === undefined || value === null ? value : decode(value)
    }
    return row as Row
  }
}

const valueOf = (parameter: unknown): Value => {
  if (is(parameter, Placeholder)) return (values) => values[parameter.name]
  if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return () => parameter
  const { value, encoder } = parameter
  return (values) => encoder.mapToDriverValue(values[value.name])
}

/** With a bare parameter as limit, SQLite compiles the statement again on every use. */
const withExpressionLimit = (text: string): string =>
  text.replace(/limit \?( offset \?)?$/, (limit) => limit.replaceAll('?', '? + 0'))

/** A statement of the database client; in raw mode rows are arrays of values. */
type Statement = {
  get(...values: readonly unknown[]): unknown
  all(...values: readonly unknown[]): unknown[]
  raw(): Statement
  columns(): readonly { readonly name: string }[]
}

/** The used part of the database client. */
type Client = { prepare(text: string): Statement }

export const clientOf = (db: BetterSQLite3Database): Client =>
  (db as BetterSQLite3Database & { readonly $client: Client }).$client

type Compilable<Row> = { toSQL(): Query; all(): Row[] }

const compile = <Row>(db: BetterSQLite3Database, table: SQLiteTable, query: Compilable<Row>) => {
  const client = clientOf(db)
  const { sql: text, params } = query.toSQL()
  const statement = client.prepare(withExpressionLimit(text)).raw()
  const values = params.map(valueOf)
  const names = statement.columns().map(({ name }) => name)
  const decode = decoderOf(table, names)
  const bound = (args: Values) => values.map((value) => value(args))
  return {
    get: (args: Values): Row | undefined => {
      const row = statement.get(...bound(args))
      return row === undefined ? undefined : decode<Row>(row)
    },
    all: (args: Values): Row[] => statement.all(...bound(args)).map((row) => decode<Row>(row)),
  }
}

type Prepared<Row> = {
  readonly get: (params?: Values) => Row | undefined
  readonly all: (params?: Values) => Row[]
}

/**
 * Prepares a query of one table on first use, so that the query builder costs nothing per read or
 * at startup.
 */
export const prepared = <Row>(
  db: BetterSQLite3Database,
  table: SQLiteTable,
  query: Compilable<Row>,
): Prepared<Row> => {
  let made: ReturnType<typeof compile<Row>> | undefined
  const statement = () => (made ??= compile(db, table, query))
  return {
    get: (params = {}) => statement().get(params),
    all: (params = {}) => statement().all(params),
  }
}

/** A named parameter. */
export const param = (name: string): Placeholder => sql.placeholder(name)

/** Whether a column equals the parameter of the same name. */
export const same = (column: SQLiteColumn): SQL => eq(column, param(column.name))

export type Chosen = {
  /** All of these must hold. */
  readonly where?: readonly (SQL | undefined)[]
  readonly order?: readonly (SQL | SQLiteColumn)[]
  readonly group?: SQLiteColumn
  readonly limit?: number | Placeholder
  readonly isDistinct?: true
}

type Columns = Readonly<Record<string, SQLiteColumn | SQL.Aliased>>

type Found<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends SQLiteColumn
    ? GetColumnData<Of[Name]>
    : Of[Name] extends SQL.Aliased<infer Value>
      ? Value
      : never
}

/** Some columns of a table's rows, or expressions over them. */
export const columnsOf = <Of extends Columns>(
  db: BetterSQLite3Database,
  table: SQLiteTable,
  { columns, where = [], order = [], group, limit, isDistinct }: Chosen & { readonly columns: Of },
) => {
  const select = isDistinct ? db.selectDistinct.bind(db) : db.select.bind(db)
  const query = select(columns as Columns)
    .from(table)
    .where(and(...where))
    .groupBy(...(group ? [group] : []))
    .orderBy(...order)
  const rows = limit === undefined ? query : query.limit(limit)
  return prepared(db, table, rows as Compilable<Found<Of>>)
}

export const rowsOf = <Table extends SQLiteTable>(
  db: BetterSQLite3Database,
  table: Table,
  chosen: Chosen,
) => {
  const columns: Columns = getTableColumns(table as SQLiteTable)
  return columnsOf(db, table, { columns, ...chosen }) as Prepared<Table['$inferSelect']>
}

export const findBy = <Table extends SQLiteTable>(
  db: BetterSQLite3Database,
  table: Table,
  column: SQLiteColumn,
) => {
  const { get } = rowsOf(db, table, { where: [eq(column, param('value'))] })
  return (value: string) => get({ value })
}

export const countOf = (db: BetterSQLite3Database, table: SQLiteTable, condition: SQL) => {
  const query = db
    .select({ count: sql<number>`count(*)` })
    .from(table)
    .where(condition)
    .prepare()
  return (): number => query.get()?.count ?? 0
}

/** A merchant's authorisations, soonest to expire first. */
/** In minor units. */
export type CurrencySum = { readonly currency: string; readonly sum: Sum }

export const expiringQueries = (db: BetterSQLite3Database) => {
  const { merchant, deadline } = paymentTable
  const ending = (...also: readonly SQL[]) =>
    rowsOf(db, paymentTable, {
      where: [...also, isAuthorized, gt(deadline, param('start')), lte(deadline, param('end'))],
      order: [asc(deadline)],
      limit: param('limit'),
    })
  const soon = ending(same(merchant))
  const anywhere = ending()
  const reserved = clientOf(db).prepare(`
    SELECT currency, CAST(sum(amountLeft + additionalAmountLeft) AS TEXT) AS sum FROM payments
    WHERE merchant = @merchant AND deadline > @at AND deadline is not null and isWaiting = 0
    GROUP BY currency ORDER BY currency`)
  return {
    /** What payers have accepted and the merchant may still capture, by currency. */
    reserved: (merchant: string, at: Instant): readonly CurrencySum[] =>
      reserved.all({ merchant, at }) as readonly CurrencySum[],
    ofMerchant: (merchant: string, start: Instant, end: Instant, limit: number) =>
      soon.all({ merchant, start, end, limit }),
    anywhere: (start: Instant, end: Instant, limit: number) => anywhere.all({ start, end, limit }),
  }
}

export const now = param('now')

/** Rows whose time in a column has come, earliest first. */
export const dueBy = <Table extends SQLiteTable>(
  db: BetterSQLite3Database,
  table: Table,
  column: SQLiteColumn,
) => {
  const { all } = rowsOf(db, table, {
    where: [lte(column, now)],
    order: [asc(column)],
    limit: param('limit'),
  })
  return (now: Instant, limit: number) => all({ now, limit })
}

/** The next time in a column after now. */
export const nextBy = (db: BetterSQLite3Database, table: SQLiteTable, column: SQLiteColumn) => {
  const query = db
    .select({ [column.name]: column })
    .from(table)
    .where(gt(column, now))
    .orderBy(asc(column))
    .limit(1)
  const { get } = prepared(db, table, query)
  return (now: Instant) => (get({ now })?.[column.name] ?? null) as Instant | null
}
