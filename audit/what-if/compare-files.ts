import { type ReadModelFile, quoted } from '../../infrastructure/read-models/read-model-file.ts'
import { jsonEquals } from '../../domain/json-equality.ts'

export type Cell = string | number | Buffer | null

export const parsed = (cell: Cell): unknown => {
  if (typeof cell !== 'string' || !/^[{[]/.test(cell)) return undefined
  try {
    return JSON.parse(cell)
  } catch {
    return undefined
  }
}

export type Values = { readonly column: string; readonly here: Cell; readonly there: Cell }

export type Members = Readonly<Record<string, unknown>>

export const isGroup = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null

export const cellOf = (value: unknown): Cell =>
  typeof value === 'string' || typeof value === 'number' ? value : (JSON.stringify(value) ?? null)

/** The innermost differing members of JSON. The order of members has no meaning. */
export const membersThatDiffer = (
  column: string,
  one: unknown,
  other: unknown,
): readonly Values[] => {
  if (jsonEquals(one, other)) return []
  if (!isGroup(one) || !isGroup(other) || Array.isArray(one) !== Array.isArray(other))
    return [{ column, here: cellOf(one), there: cellOf(other) }]
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].flatMap((name) =>
    membersThatDiffer(`${column}.${name}`, one[name], other[name]),
  )
}

/** The differences in a cell: the whole cell, or members of its JSON. */
export const differencesIn = (column: string, here: Cell, there: Cell): readonly Values[] => {
  if (here === there) return []
  if (here instanceof Uint8Array && there instanceof Uint8Array)
    return Buffer.compare(here, there) === 0 ? [] : [{ column, here, there }]
  const [one, other] = [parsed(here), parsed(there)]
  if (one === undefined || other === undefined) return [{ column, here, there }]
  return membersThatDiffer(column, one, other)
}

type Row = readonly Cell[]

type File = Pick<ReadModelFile, 'sqlite'>

type Place = { readonly table: string; readonly key: Readonly<Record<string, Cell>> }

/** A row in only one file, or a column that differs; in JSON, a member of it. */
export type RowDifference = Place &
  (
    | { readonly onlyIn: 'here' | 'there' }
    | { readonly column: string; readonly here: Cell; readonly there: Cell }
  )

type Names = { readonly here: readonly string[]; readonly there: readonly string[] }

/** The differences in a table that both files have. */
export type TableCompared = {
  readonly table: string
  readonly rows: { readonly here: number; readonly there: number }
  readonly columnsOnlyIn: Names
  /** Whether both use the same columns as row keys. */
  readonly isComparable: boolean
  /** Number of rows missing in one file, plus differing columns of the others. */
  readonly count: number
  /** The first of them, in key order. */
  readonly differences: readonly RowDifference[]
}

export type FilesCompared = {
  readonly tablesOnlyIn: Names
  readonly tables: readonly TableCompared[]
}

type Column = { readonly name: string; readonly pk: number }

const tablesOf = ({ sqlite }: File): readonly string[] =>
  sqlite
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema
       WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`,
    )
    .pluck()
    .all()

const columnsOf = ({ sqlite }: File, table: string): readonly Column[] =>
  sqlite.prepare<[string], Column>('SELECT name, pk FROM pragma_table_info(?)').all(table)

const keysOf = (columns: readonly Column[]): readonly string[] =>
  columns
    .filter(({ pk }) => pk > 0)
    .sort((one, other) => one.pk - other.pk)
    .map(({ name }) => name)

const countIn = ({ sqlite }: File, table: string): number =>
  Number(
    sqlite
      .prepare(`SELECT count(*) FROM ${quoted(table)}`)
      .pluck()
      .get(),
  )

const onlyIn = (here: readonly string[], there: readonly string[]): Names => ({
  here: here.filter((name) => !there.includes(name)),
  there: there.filter((name) => !here.includes(name)),
})

/** SQLite's order for columns of one type. */
const orderOf = (one: Cell, other: Cell): number => {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const bytes = (cell: Cell) => (cell instanceof Uint8Array ? cell : Buffer.from(String(cell)))
  return Buffer.compare(bytes(one), bytes(other))
}

/** Iterates the rows of both in key order, with both rows of each key. */
function* rowsByKey(here: Iterator<Row>, there: Iterator<Row>, keyCount: number) {
  const order = (one: Row, other: Row): number => {
    for (let index = 0; index < keyCount; index += 1) {
      const found = orderOf(one[index] ?? null, other[index] ?? null)
      if (found !== 0) return found
    }
    return 0
  }
  let [left, right] = [here.next(), there.next()]
  while (!left.done || !right.done) {
    const place = left.done ? 1 : right.done ? -1 : order(left.value, right.value)
    yield [
      place <= 0 && !left.done ? left.value : undefined,
      place >= 0 && !right.done ? right.value : undefined,
    ] as const
    if (place <= 0) left = here.next()
    if (place >= 0) right = there.next()
  }
}

const compareRows = (
  files: readonly File[],
  table: string,
  keys: Row,
  columns: Row,
  most: number,
) => {
  const names = [...keys, ...columns].map(String)
  const listed = names.map(quoted).join(', ')
  const sorted = keys.map((key) => quoted(String(key))).join(', ')
  const [here, there] = files.map(({ sqlite }) =>
    sqlite
      .prepare<[], Row>(`SELECT ${listed} FROM ${quoted(table)} ORDER BY ${sorted}`)
      .raw()
      .iterate(),
  )
  const differences: RowDifference[] = []
  let count = 0
  const add = (row: Row, difference: object): void => {
    count += 1
    if (differences.length >= most) return
    const key = Object.fromEntries(keys.map((name, index) => [String(name), row[index] ?? null]))
    differences.push({ table, key, ...difference } as RowDifference)
  }
  if (!here || !there) return { count, differences }
  for (const [one, other] of rowsByKey(here, there, keys.length)) {
    if (!one || !other) {
      add(one ?? other ?? [], { onlyIn: one ? 'here' : 'there' })
      continue
    }
    for (let index = keys.length; index < names.length; index += 1)
      for (const found of differencesIn(
        names[index] ?? '',
        one[index] ?? null,
        other[index] ?? null,
      ))
        add(one, found)
  }
  return { count, differences }
}

/**
 * Compares all tables of two read model files, possibly made by different code; lists a limited
 * number of differences per table.
 */
export const compareFiles = (here: File, there: File, most: number): FilesCompared => {
  const [tables, others] = [tablesOf(here), tablesOf(there)]
  return {
    tablesOnlyIn: onlyIn(tables, others),
    tables: tables
      .filter((table) => others.includes(table))
      .map((table) => {
        const [columns, otherColumns] = [columnsOf(here, table), columnsOf(there, table)]
        const [keys, otherKeys] = [keysOf(columns), keysOf(otherColumns)]
        const names = otherColumns.map(({ name }) => name)
        const shared = columns.flatMap(({ name }) =>
          names.includes(name) && !keys.includes(name) ? name : [],
        )
        const isComparable = keys.length > 0 && keys.join() === otherKeys.join()
        const found = isComparable
          ? compareRows([here, there], table, keys, shared, most)
          : { count: 0, differences: [] }
        return {
          table,
          rows: { here: countIn(here, table), there: countIn(there, table) },
          columnsOnlyIn: onlyIn(
            columns.map(({ name }) => name),
            names,
          ),
          isComparable,
          ...found,
        }
      }),
  }
}
