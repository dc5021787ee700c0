// Runs one query in a process of its own: only its end stops a statement that SQLite has begun.
import { readFileSync } from 'node:fs'
import Database from '../../infrastructure/sqlite.ts'

export type Query = {
  /** A file that holds the views and nothing else. */
  readonly file: string
  readonly sql: string
  readonly most: number
}

export type Found =
  | {
      readonly columns: readonly string[]
      readonly rows: readonly (readonly unknown[])[]
      /** Whether there are more rows than were asked for. */
      readonly hasMore: boolean
    }
  | { readonly problem: string }

const largestHeap = 512_000_000

/** Integers that JavaScript does not hold exactly, as text; blobs as hexadecimal. */
const plain = (value: unknown): unknown => {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

const run = ({ file, sql, most }: Query): Found => {
  // Not PRAGMA, ATTACH, EXPLAIN: of statements that return rows only these read the views alone.
  if (!/^\s*(?:select|with|values)\b/i.test(sql))
    return { problem: 'a query begins with select, with or values' }
  const database = new Database(file, { readonly: true, fileMustExist: true })
  database.pragma(`hard_heap_limit = ${largestHeap}`)
  database.pragma('temp_store = MEMORY')
  database.pragma('trusted_schema = OFF')
  try {
    const statement = database.prepare<[], unknown[]>(sql)
    if (!statement.reader || !statement.readonly) return { problem: 'a query changes nothing' }
    const columns = statement.columns().map(({ name }) => name)
    const rows: unknown[][] = []
    for (const row of statement.raw().safeIntegers().iterate()) {
      if (rows.length === most) return { columns, rows, hasMore: true }
      rows.push(row.map(plain))
    }
    return { columns, rows, hasMore: false }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  } finally {
    database.close()
  }
}

const query = JSON.parse(readFileSync(0, 'utf8')) as Query
process.stdout.write(JSON.stringify(run(query)))
