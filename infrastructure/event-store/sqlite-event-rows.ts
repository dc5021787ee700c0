import type Database from 'better-sqlite3'
import {
  DamagedEvent,
  noStream,
  type Position,
  type Revision,
} from '../../application/event-store.ts'
import { unavailable } from '../system-errors.ts'
import { leafHash } from './event-entry.ts'
import { hasChecksums } from './sqlite-event-file.ts'

/** An event as stored in the file; the id has 32 hexadecimal digits, the time is in ms. */
export type Row = readonly [
  position: Position,
  stream: string,
  revision: Revision,
  id: string,
  type: string,
  data: string | Buffer,
  metadata: string | Buffer | null,
  recorded: number,
  /** Empty in a file of the first format, which has no checksums. */
  checksum: string | null,
]

/** Of an event of JSON. */
export type Heading = readonly [
  position: Position,
  stream: string,
  revision: Revision,
  type: string,
  id: string,
  metadata: string | Buffer | null,
]

type Direction = 'forwards' | 'backwards'

export type Examined = { readonly row: Row; readonly problem: string | undefined }

/**
 * Rows are verified when read. All methods throw StoreUnavailable, and DamagedEvent for damaged
 * rows.
 */
export type EventRows = {
  /**
   * Up to `limit` rows after a position; fewer if they are large or the next one is damaged. Empty
   * only at the end.
   */
  next(after: Position, limit: number): Row[]
  /** Events after a position up to another, unchecked and without their data. */
  headings(after: Position, upTo: Position): Heading[]
  /** Unchecked. */
  dataAt(position: Position): string
  /**
   * Up to `limit` rows after, or before, a position. Fewer means the end, or that their data
   * reached `size`.
   */
  all(from: Position, limit: number, direction?: Direction, size?: number): Row[]
  /** Up to `limit` rows of a stream from a revision on, or before it; `size` as above. */
  ofStream(...args: [string, from: Revision, limit: number, Direction?, size?: number]): Row[]
  lastRevision(stream: string): Revision
  /** Position of the last event, or of the last JSON event. */
  head(kind?: 'json'): Position
  /** Every row after a position as stored, and what is wrong with it. */
  examined(after?: Position): IterableIterator<Examined>
}

const selectRows = (checksum: string): string => `
  SELECT position, name, revision, lower(hex(events.id)), type, data, metadata, recorded,
    ${checksum}
  FROM events CROSS JOIN streams ON streams.id = events.stream`

/** With a bare parameter as limit, SQLite compiles the statement again on every use. */
const limit = 'LIMIT ? + 0'

/** Maximum data per result: a thousand events may be a gigabyte. */
const largestAnswer = 8 * 1_048_576

/** Number of rows examined per query. */
const rowsOfPage = 1_000

type ProblemOf = (row: Row) => string | undefined

const wrongChecksum: ProblemOf = ([, stream, revision, id, type, data, metadata, , checksum]) =>
  checksum === leafHash({ stream, revision, id, type, data, metadata })
    ? undefined
    : 'what the file holds is not what was appended'

const checksRows = (problemOf: ProblemOf) => {
  const damaged = ([position, stream, revision]: Row, problem: string): DamagedEvent =>
    new DamagedEvent({ stream, revision, position }, problem)

  const check = (row: Row): void => {
    const problem = problemOf(row)
    if (problem !== undefined) throw damaged(row, problem)
  }

  return {
    each: (rows: Row[]): Row[] => {
      rows.forEach(check)
      return rows
    },
    /** The rows before the first damaged one; throws if that is the first row. */
    upToDamage: (rows: Iterable<Row>, after: Position): Row[] => {
      const first: Row[] = []
      let size = 0
      let expected = after + 1
      for (const row of rows) {
        const isMissing = row[0] !== expected
        const problem = isMissing ? `position ${expected} is missing before it` : problemOf(row)
        if (problem !== undefined && first.length > 0) break
        if (problem !== undefined) throw damaged(row, problem)
        first.push(row)
        expected += 1
        size += row[5].length
        if (size >= largestAnswer) break
      }
      return first
    },
    /** Rows of a stream. None may be missing, because each affects the following ones. */
    ofStream: (rows: Row[], from: Revision): Row[] => {
      let expected = from
      for (const row of rows) {
        if (row[2] !== expected) throw damaged(row, `revision ${expected} is missing before it`)
        check(row)
        expected += 1
      }
      return rows
    },
  }
}

/** Rows until their data reaches a size. */
const upTo = (size: number, rows: Iterable<Row>): Row[] => {
  const page: Row[] = []
  let found = 0
  for (const row of rows) {
    page.push(row)
    found += row[5].length
    if (found >= size) break
  }
  return page
}

/** Rows, in pages, because an unfinished query keeps the write-ahead log from being emptied. */
function* paged(rowsAfter: (last: Position) => Iterable<Row>, after: Position): Generator<Row> {
  for (let last = after; ;) {
    const page = upTo(largestAnswer, rowsAfter(last))
    if (page.length === 0) return
    yield* page
    last = page.at(-1)?.[0] ?? last
  }
}

type RowsFound = Database.Statement<(string | number)[], Row>

const some = (found: RowsFound, size: number | undefined, ...params: (string | number)[]): Row[] =>
  size === undefined ? found.all(...params) : upTo(size, found.iterate(...params))

const ofThisStream = 'events.stream = (SELECT id FROM streams WHERE name = ?)'

const quickReads = (database: Database.Database) => ({
  headings: database
    .prepare<[Position, Position], Heading>(
      `SELECT position, name, revision, type, lower(hex(events.id)), metadata
       FROM events CROSS JOIN streams ON streams.id = events.stream
       WHERE position > ? AND position <= ? AND typeof(data) = 'text' ORDER BY position`,
    )
    .raw(),
  dataAt: database
    .prepare<[Position], string>('SELECT data FROM events WHERE position = ?')
    .pluck(),
})

export const readEventRows = (database: Database.Database): EventRows => {
  const isChecked = hasChecksums(database)
  const problemOf = isChecked ? wrongChecksum : () => undefined
  const checked = checksRows(problemOf)
  const select = selectRows(isChecked ? 'checksum' : "''")
  const rows = (rest: string) =>
    database.prepare<(string | number)[], Row>(`${select} ${rest}`).raw()
  const number = (sql: string) => database.prepare<string[], number>(sql).pluck()

  const ofAll = {
    forwards: rows(`WHERE position > ? ORDER BY position ${limit}`),
    backwards: rows(`WHERE position < ? ORDER BY position DESC ${limit}`),
  }
  const ofStream = {
    forwards: rows(`WHERE ${ofThisStream} AND revision >= ? ORDER BY revision ${limit}`),
    backwards: rows(`WHERE ${ofThisStream} AND revision <= ? ORDER BY revision DESC ${limit}`),
  }
  const last = number(`SELECT revision FROM events WHERE ${ofThisStream}
                       ORDER BY revision DESC LIMIT 1`)
  const head = number('SELECT position FROM events ORDER BY position DESC LIMIT 1')
  const headOfJson = number(`SELECT position FROM events WHERE typeof(data) = 'text'
                             ORDER BY position DESC LIMIT 1`)

  const quick = quickReads(database)

  const asking = <Answer>(ask: () => Answer): Answer => {
    try {
      return ask()
    } catch (error) {
      throw error instanceof DamagedEvent ? error : unavailable(error)
    }
  }

  return {
    next: (after, limit) =>
      asking(() => checked.upToDamage(ofAll.forwards.iterate(after, limit), after)),
    headings: (after, upTo) => asking(() => quick.headings.all(after, upTo)),
    dataAt: (position) => asking(() => quick.dataAt.get(position) ?? ''),
    all: (from, limit, direction = 'forwards', size) =>
      asking(() => checked.each(some(ofAll[direction], size, from, limit))),
    ofStream: (stream, from, limit, direction = 'forwards', size) =>
      asking(() => {
        const found = some(ofStream[direction], size, stream, from, limit)
        return direction === 'forwards' ? checked.ofStream(found, from) : checked.each(found)
      }),
    lastRevision: (stream) => asking(() => last.get(stream) ?? noStream),
    head: (kind) => asking(() => (kind ? headOfJson : head).get() ?? 0),
    *examined(after = 0) {
      for (const row of paged((last) => ofAll.forwards.iterate(last, rowsOfPage), after))
        yield { row, problem: problemOf(row) }
    },
  }
}
