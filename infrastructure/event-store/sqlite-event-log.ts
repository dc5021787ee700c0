import type { MessagePort } from 'node:worker_threads'
import { StoreUnavailable, type Position } from '../../application/event-store.ts'
import type { Where } from '../worker.ts'
import Database from '../sqlite.ts'
import { unavailable } from '../unavailable.ts'
import { commitInWorker, commitThrough } from './commit-client.ts'
import { commitInGroups, type Commits } from './group-commits.ts'
import { sameFiles } from './same-files.ts'
import { openEventFile, type Given, type Use } from './sqlite-event-file.ts'
import { commitsTo, watchGrowth } from './sqlite-event-growth.ts'
import { readEventRows, type EventRows } from './sqlite-event-rows.ts'
import { writeEvents } from './sqlite-event-writer.ts'

/** Events as rows of one file: bytes and text that the log does not look into. */
export type EventLog = EventRows & {
  /**
   * Appends all rows or none, durably; several appends share a commit. @throws
   * WrongExpectedRevision, StoreUnavailable
   */
  readonly append: Commits['append']
  /**
   * Resolves when there is an event after the position, and when the signal aborts or the log is
   * closed.
   */
  grown(after: Position, signal: AbortSignal): Promise<void>
  /**
   * Where the last event stands of which anybody may have heard, or the last one that is JSON.
   * @throws StoreUnavailable
   */
  end(kind?: 'json'): Position
  /** Looks now whether others have appended, for those who wait for that. */
  look(): void
  /**
   * What is wrong with the file, its indexes among it, in the words of SQLite. @throws
   * StoreUnavailable
   */
  damage(): readonly string[]
  /**
   * Moves appended events out of the write-ahead log, beside those who append, as far as these
   * leave room for it.
   */
  checkpoint(): void
  /** A port by which another thread commits, too; where a thread of its own commits. */
  readonly shareWriter: (() => MessagePort) | undefined
  readonly isClosed: boolean
  /** Finishes the appends that wait, then closes the file. */
  close(): Promise<void>
}

const closeFile = (database: Database.Database): void => {
  try {
    database.close()
  } catch (error) {
    throw unavailable(error)
  }
}

type Committed = {
  readonly commits: Commits & { readonly acknowledgedEnd: (fileEnd: Position) => Position }
  readonly leave: () => void
  readonly shareWriter?: () => MessagePort
}

/** Commits in this thread: others are told of it, as this one is of theirs. */
const commitHere = (
  file: string,
  database: Database.Database,
  onOthers: () => void,
  committed: (end: Position) => void,
): Committed => {
  const threads = commitsTo(file)
  threads.onmessage = onOthers
  const writer = writeEvents(database)
  const commits = commitInGroups(writer, ({ end }) => {
    committed(end)
    threads.postMessage(null)
  })
  const acknowledgedEnd = (fileEnd: Position): Position => fileEnd
  const leave = (): void => {
    threads.close()
    writer.close()
  }
  return { commits: { ...commits, acknowledgedEnd }, leave }
}

/**
 * Pages that the write-ahead log may reach while appends come one at a time. A small log is soon
 * written from its beginning again, and a sync of a file that does not grow takes half as long.
 */
const pagesWhenAlone = 1_000

/** Commits in a worker, and here while one request is alone. */
const commitApart = (
  file: string,
  database: Database.Database,
  isAlone: () => boolean,
  committed: (end: Position) => void,
): Committed => {
  database.pragma(`wal_autocheckpoint = ${pagesWhenAlone}`)
  const writer = writeEvents(database)
  const commits = commitInWorker(file, committed, { isAlone, writer })
  return { commits, leave: writer.close, shareWriter: commits.share }
}

/** Commits in the thread of another one of this process. */
const commitShared = (port: MessagePort, committed: (end: Position) => void): Committed => ({
  commits: commitThrough(port, committed),
  leave: (): void => {},
})

/** Where appends are committed: here, in a new thread, or in one that is reached by this port. */
export type Committing = Where | MessagePort

/** Opens the event log in a file, or makes it. @throws Error when the file cannot serve as one */
export const openEventLog = (
  file: string,
  use: Use = 'append',
  committing: Committing = 'inline',
  isAlone: () => boolean = () => false,
  given: Given = {},
): EventLog => {
  const database = openEventFile(file, use, given)
  const rows = readEventRows(database)
  const end: EventLog['end'] = (kind) => commits.acknowledgedEnd(rows.head(kind))
  const { grown, look, wake, release } = watchGrowth(end)
  const commit = (): Committed => {
    if (committing === 'inline') return commitHere(file, database, look, wake)
    if (committing === 'worker') return commitApart(file, database, isAlone, wake)
    return commitShared(committing, wake)
  }
  const { commits, leave, shareWriter } = commit()
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  const areSame = sameFiles(file)
  const damage = (): string[] => {
    try {
      const told = database.pragma('integrity_check') as readonly { integrity_check: string }[]
      return told.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok')
    } catch (error) {
      // Such damage that SQLite cannot look for more.
      if (error instanceof Database.SqliteError && error.code === 'SQLITE_CORRUPT')
        return [error.message]
      throw unavailable(error)
    }
  }
  let closing: Promise<void> | undefined

  const finishAndClose = async (): Promise<void> => {
    await commits.finish()
    closeFile(database)
    leave()
    release()
  }

  return {
    ...rows,
    append: (...what) =>
      closing
        ? Promise.reject(new StoreUnavailable('the event log is closed'))
        : commits.append(...what),
    grown: (after, signal) => (closing ? Promise.resolve() : grown(after, signal)),
    end,
    look,
    damage,
    shareWriter,
    checkpoint: () => {
      if (areSame()) checkpoint.get()
    },
    get isClosed() {
      return closing !== undefined
    },
    close: () => (closing ??= finishAndClose()),
  }
}
