import type Database from 'better-sqlite3'
import { realpathSync } from 'node:fs'
import {
  StoreUnavailable,
  WrongExpectedRevision,
  type Appended,
  type Position,
} from '../../application/event-store.ts'
import { openEventFile, type Use } from './sqlite-event-file.ts'
import { watchGrowth } from './sqlite-event-growth.ts'
import { readEventRows, unavailable, type EventRows } from './sqlite-event-rows.ts'
import {
  writeEvents,
  type EventWriter,
  type Expectation,
  type NewRow,
} from './sqlite-event-writer.ts'

/** Events as rows of one file: bytes and text that the log does not look into. */
export type EventLog = EventRows & {
  /** Appends all rows or none, durably; several appends share a commit. @throws WrongExpectedRevision, StoreUnavailable */
  append(stream: string, rows: readonly NewRow[], expected: Expectation): Promise<Appended>
  /** Resolves when there is an event after the position, and when the signal aborts or the log is closed. */
  grown(after: Position, signal: AbortSignal): Promise<void>
  /** Moves appended events out of the write-ahead log, beside those who append, as far as these leave room for it. */
  checkpoint(): void
  readonly isClosed: boolean
  /** Finishes the appends that wait, then closes the file. */
  close(): Promise<void>
}

type Waiting = {
  readonly stream: string
  readonly rows: readonly NewRow[]
  readonly expected: Expectation
  readonly since: number
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: Error) => void
}

/** Rows in one commit: more of them would hold up everything else in this process. */
const rowsPerCommit = 2_000

/** How long an append waits for other processes to leave the file, in ms. */
const patience = 5_000

const retryDelay = 2

const takeGroup = (queue: Waiting[]): Waiting[] => {
  let rows = 0
  let count = 0
  for (const waiting of queue) {
    if (count > 0 && rows + waiting.rows.length > rowsPerCommit) break
    rows += waiting.rows.length
    count += 1
  }
  return queue.splice(0, count)
}

/** Writes and commits one group; nothing in it is answered before all of it is durable. Answers the end of the log. */
const writeGroup = (writer: EventWriter, group: readonly Waiting[]): Position => {
  const answers: (() => void)[] = []
  let end: Position
  try {
    for (const { stream, rows, expected, resolve, reject } of group) {
      try {
        const appended = writer.write(stream, rows, expected)
        answers.push(() => resolve(appended))
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error
        answers.push(() => reject(error))
      }
    }
    end = writer.commit()
  } catch (error) {
    writer.abandon()
    throw error
  }
  for (const answer of answers) answer()
  return end
}

/** Appends that arrive in one turn of the event loop are written in one commit. */
const commitInGroups = (writer: EventWriter, committed: (end: Position) => void) => {
  const queue: Waiting[] = []
  let isScheduled = false
  let emptied: (() => void) | undefined

  const schedule = (): void => {
    if (isScheduled || queue.length === 0) return
    isScheduled = true
    setImmediate(flush)
  }

  const scheduleRetry = (): void => {
    isScheduled = true
    setTimeout(flush, retryDelay)
  }

  const flush = (): void => {
    isScheduled = false
    let group: readonly Waiting[] = []
    try {
      if (writer.begin()) {
        group = takeGroup(queue)
        committed(writeGroup(writer, group))
      } else if (performance.now() - (queue[0]?.since ?? 0) < patience) {
        return scheduleRetry()
      } else {
        throw new StoreUnavailable('another process holds the event log')
      }
    } catch (error) {
      // Without a transaction the whole queue would meet the same failure.
      const failed = group.length > 0 ? group : queue.splice(0)
      for (const { reject } of failed) reject(unavailable(error))
    }
    if (queue.length === 0) emptied?.()
    schedule()
  }

  return {
    append: (stream: string, rows: readonly NewRow[], expected: Expectation) =>
      new Promise<Appended>((resolve, reject) => {
        queue.push({ stream, rows, expected, since: performance.now(), resolve, reject })
        schedule()
      }),
    finished: () =>
      new Promise<void>((resolve) => {
        if (queue.length === 0) resolve()
        else emptied = resolve
      }),
  }
}

const closeFile = (database: Database.Database): void => {
  try {
    database.close()
  } catch (error) {
    throw unavailable(error)
  }
}

/** Opens the event log in a file, or makes it. @throws Error when the file cannot serve as one */
export const openEventLog = (file: string, use: Use = 'append'): EventLog => {
  const database = openEventFile(file, use)
  const rows = readEventRows(database)
  const { grown, committed, release } = watchGrowth(realpathSync(file), rows.head)
  const appends = commitInGroups(writeEvents(database), committed)
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  let closing: Promise<void> | undefined

  const finishAndClose = async (): Promise<void> => {
    await appends.finished()
    closeFile(database)
    release()
  }

  return {
    ...rows,
    append: (stream, newRows, expected) =>
      closing
        ? Promise.reject(new StoreUnavailable('the event log is closed'))
        : appends.append(stream, newRows, expected),
    grown: (after, signal) => (closing ? Promise.resolve() : grown(after, signal)),
    checkpoint: () => void checkpoint.get(),
    get isClosed() {
      return closing !== undefined
    },
    close: () => (closing ??= finishAndClose()),
  }
}
