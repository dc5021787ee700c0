import type Database from 'better-sqlite3'
import { noStream, type Position, type Revision } from '../../application/event-store.ts'
import { unavailable } from '../unavailable.ts'

/** Text is JSON, bytes are anything else. */
export type Content = string | Uint8Array

/** An event as it lies in the file; the id is 32 hexadecimal digits, the time is in ms. */
export type Row = readonly [
  position: Position,
  stream: string,
  revision: Revision,
  id: string,
  type: string,
  data: string | Buffer,
  metadata: string | Buffer | null,
  recorded: number,
]

type Direction = 'forwards' | 'backwards'

export type EventRows = {
  /** Up to `limit` rows after a position; fewer where they are large, but none only at the end. @throws StoreUnavailable */
  next(after: Position, limit: number): Row[]
  /** Up to `limit` rows after a position, or before it: fewer are all that there are. @throws StoreUnavailable */
  all(from: Position, limit: number, direction?: Direction): Row[]
  /** Up to `limit` rows of a stream at a revision and after it, or before it. @throws StoreUnavailable */
  ofStream(stream: string, from: Revision, limit: number, direction?: Direction): Row[]
  /** The revision of the last event of a stream. @throws StoreUnavailable */
  lastRevision(stream: string): Revision
  /** The position of the last event, or of the last one that is JSON. @throws StoreUnavailable */
  head(kind?: 'json'): Position
}

const selectRows = `
  SELECT position, name, revision, lower(hex(events.id)), type, data, metadata, recorded
  FROM events CROSS JOIN streams ON streams.id = events.stream`

/** A bare parameter as the limit makes SQLite compile the statement anew each time that it is bound. */
const limit = 'LIMIT ? + 0'

/** Characters or bytes of data after which an answer ends: a thousand of the largest events are a gigabyte. */
const largestAnswer = 8 * 1_048_576

const firstOf = (rows: Iterable<Row>): Row[] => {
  const first: Row[] = []
  let size = 0
  for (const row of rows) {
    first.push(row)
    size += row[5].length
    if (size >= largestAnswer) break
  }
  return first
}

const ofThisStream = 'events.stream = (SELECT id FROM streams WHERE name = ?)'

export const readEventRows = (database: Database.Database): EventRows => {
  const rows = (rest: string) =>
    database.prepare<(string | number)[], Row>(`${selectRows} ${rest}`).raw()
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

  const asking = <Answer>(ask: () => Answer): Answer => {
    try {
      return ask()
    } catch (error) {
      throw unavailable(error)
    }
  }

  return {
    next: (after, limit) => asking(() => firstOf(ofAll.forwards.iterate(after, limit))),
    all: (from, limit, direction = 'forwards') => asking(() => ofAll[direction].all(from, limit)),
    ofStream: (stream, from, limit, direction = 'forwards') =>
      asking(() => ofStream[direction].all(stream, from, limit)),
    lastRevision: (stream) => asking(() => last.get(stream) ?? noStream),
    head: (kind) => asking(() => (kind ? headOfJson : head).get() ?? 0),
  }
}
