import type Database from 'better-sqlite3'
import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type Appended,
  type Position,
  type Revision,
} from '../../application/event-store.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import { isHeld } from '../sqlite.ts'
import { leafHash, type Content, uuidOf } from './event-entry.ts'
import { markIn } from './marks.ts'
import { sameFiles, headOf } from './sqlite-event-file.ts'
import { wallClock } from '../../application/machine.ts'

export type NewRow = {
  /** The 16 bytes of a UUID. */
  readonly id: Buffer
  readonly type: string
  readonly data: Content
  readonly metadata: Content | null
  /** When another store wrote it, in ms; now by default. */
  readonly recordedAt?: number | undefined
}

/** The expected revision of a stream; `exists` requires any event, `any` nothing. */
export type Expectation = Revision | 'any' | 'exists'

/** The log's end after a commit. */
export type Ends = {
  readonly end: Position
  /** Later events are all from this writer; earlier ones may be from others. */
  readonly endOfOthers: Position
}

export type EventWriter = {
  /** False if another process has locked the file. @throws StoreUnavailable if the file is gone */
  begin(): boolean
  /** Adds all rows or none to the transaction. @throws WrongExpectedRevision */
  write(stream: string, rows: readonly NewRow[], expected: Expectation): Appended
  commit(): Ends
  /** Rolls the transaction back, in whatever state it is. */
  abandon(): void
  /** Ends the writer; the database stays open. */
  close(): void
}

type Known = { readonly id: number; revision: Revision; epoch: number }

const streamsRemembered = 25_000

/** Writes events within the caller's transactions. Safe with several processes on one file. */
export const writeEvents = (database: Database.Database): EventWriter => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck()
  const head = database.prepare<[], number>('SELECT max(position) FROM events').pluck()
  const streamNamed = database
    .prepare<[string], number>('SELECT id FROM streams WHERE name = ?')
    .pluck()
  const revisionOf = database
    .prepare<[number], number>('SELECT max(revision) FROM events WHERE stream = ?')
    .pluck()
  const insertStream = database.prepare('INSERT INTO streams (name) VALUES (?)')
  let insertEvent: Database.Statement | undefined
  /** Prepared on demand: a copy in the first format is only read, and lacks a column. */
  const insertion = (): Database.Statement =>
    (insertEvent ??= database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'))
  const laterEvents = database
    .prepare<[number, number, number], [Buffer, number, number]>(
      `SELECT id, revision, position FROM events WHERE stream = ? AND revision > ?
       ORDER BY revision LIMIT ? + 0`,
    )
    .raw()

  const areSame = sameFiles(database.name)
  const mark = markIn(headOf(database.name))
  /** The last event of the transaction. */
  let newest:
    { readonly stream: string; readonly revision: Revision; readonly id: string } | undefined
  const streams = generationalCache<string, Known>(streamsRemembered)
  let position = 0
  let endOfOthers = 0
  let version = -1
  let epoch = 0
  let now = 0

  const remember = (stream: string, known: Known): Known => {
    streams.set(stream, known)
    return known
  }

  const find = (stream: string): Known | undefined => {
    const known = streams.get(stream)
    if (known?.epoch === epoch) return known
    const id = known?.id ?? streamNamed.get(stream)
    if (id === undefined) return undefined
    return remember(stream, { id, revision: revisionOf.get(id) ?? noStream, epoch })
  }

  const add = (stream: string): Known => {
    const id = Number(insertStream.run(stream).lastInsertRowid)
    return remember(stream, { id, revision: noStream, epoch })
  }

  /** The result of an earlier append of these ids at this revision, if there was one. */
  const answerToRepeat = (
    { id, revision }: Known,
    rows: readonly NewRow[],
    expected: Revision,
  ): Appended | undefined => {
    if (expected >= revision) return undefined
    const there = laterEvents.all(id, expected, rows.length)
    const isRepeat =
      there.length === rows.length && rows.every((row, index) => there[index]?.[0].equals(row.id))
    const last = there.at(-1)
    return isRepeat && last ? { revision: last[1], position: last[2] } : undefined
  }

  const isMet = (expected: Expectation, revision: Revision): boolean =>
    expected === 'any' || (expected === 'exists' ? revision > noStream : expected === revision)

  const write: EventWriter['write'] = (stream, rows, expected) => {
    const found = find(stream)
    const revision = found?.revision ?? noStream
    if (!isMet(expected, revision)) {
      const expectedRevision = expected === 'exists' || expected === 'any' ? 0 : expected
      const answered = found && answerToRepeat(found, rows, expectedRevision)
      if (answered) return answered
      throw new WrongExpectedRevision(stream, expectedRevision, revision)
    }
    const known = found ?? add(stream)
    const insert = insertion()
    for (const { id: bytes, type, data, metadata, recordedAt = now } of rows) {
      position += 1
      known.revision += 1
      const id = bytes.toString('hex')
      const { revision } = known
      const checksum = leafHash({ stream, revision, id, type, data, metadata })
      insert.run(position, known.id, revision, bytes, type, data, metadata, recordedAt, checksum)
      newest = { stream, revision, id }
    }
    return { revision: known.revision, position }
  }

  const abandon = (): void => {
    newest = undefined
    streams.clear()
    version = -1
    if (database.inTransaction) rollback.run()
  }

  return {
    begin: () => {
      // An append that broke off must not be committed with the next one.
      if (database.inTransaction) abandon()
      try {
        begin.run()
      } catch (error) {
        if (isHeld(error)) return false
        throw error
      }
      if (!areSame())
        throw new StoreUnavailable('the file of the event log was removed or replaced')
      const seen = dataVersion.get() ?? -1
      if (seen !== version) {
        // Another process has written: cached revisions are outdated, stream ids are not.
        epoch += 1
        position = head.get() ?? 0
        endOfOthers = position
        version = seen
      }
      now = wallClock()
      return true
    },
    write,
    commit: () => {
      commit.run()
      if (newest) {
        const { stream, revision, id } = newest
        mark.write({ position, stream, revision, event: uuidOf(id) })
      }
      newest = undefined
      return { end: position, endOfOthers }
    },
    abandon,
    close: mark.close,
  }
}
