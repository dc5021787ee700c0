import type { MessagePort } from 'node:worker_threads'
import { StoreUnavailable, type Position } from '../../application/event-store.ts'
import type { Where } from '../worker.ts'
import Database from '../sqlite.ts'
import { unavailable } from '../system-errors.ts'
import { commitInWorker, commitThrough } from './commit-client.ts'
import { commitInGroups, measureCommits, type Commits } from './group-commits.ts'
import {
  sameFiles,
  openEventFile,
  type OpenOptions,
  type Use,
  commitsTo,
  watchGrowth,
} from './sqlite-event-file.ts'
import { readEventRows, type EventRows } from './sqlite-event-rows.ts'
import { writeEvents, type Ends } from './sqlite-event-writer.ts'

/** Events as rows of one file; contents are opaque here. */
export type EventLog = EventRows & {
  /**
   * Appends all rows or none, durably; concurrent appends share a commit.
   * @throws WrongExpectedRevision, StoreUnavailable
   */
  readonly append: Commits['append']
  /** Resolves when there is an event after the position, the signal aborts or the log is closed. */
  grown(after: Position, signal: AbortSignal): Promise<void>
  /**
   * Position of the last event that may be visible to anybody, or of the last JSON event.
   * @throws StoreUnavailable
   */
  end(kind?: 'json'): Position
  /** Checks for other processes' appends now. */
  look(): void
  /** Damage to the file and its indexes, in SQLite's words. @throws StoreUnavailable */
  damage(): readonly string[]
  /** Checkpoints the write-ahead log beside appends, as far as they permit. */
  checkpoint(): void
  /** A port through which another thread can commit; undefined if this log has no writer thread. */
  readonly shareWriter: (() => MessagePort) | undefined
  /** Of the commits of this thread and of the one that commits for it. */
  readonly commits: CommitSamples
  readonly isClosed: boolean
  close(): Promise<void>
}

const closeFile = (database: Database.Database): void => {
  try {
    database.close()
  } catch (error) {
    throw unavailable(error)
  }
}

type Measures = ReturnType<typeof measureCommits>

export type CommitSamples = Pick<Measures, 'seconds' | 'events'>

type Committed = {
  readonly commits: Commits & { readonly acknowledgedEnd: (fileEnd: Position) => Position }
  readonly leave: () => void
  readonly shareWriter?: () => MessagePort
}

/** Commits inline, and exchanges announcements of commits with other threads. */
const commitInThisThread = (
  file: string,
  database: Database.Database,
  onOthers: () => void,
  committed: (end: Position) => void,
  { observe }: Measures,
): Committed => {
  const threads = commitsTo(file)
  threads.onmessage = onOthers
  const writer = writeEvents(database)
  const tell = ({ end }: Ends): void => {
    committed(end)
    threads.postMessage(null)
  }
  const commits = commitInGroups(writer, tell, observe)
  const acknowledgedEnd = (fileEnd: Position): Position => fileEnd
  const leave = (): void => {
    threads.close()
    writer.close()
  }
  return { commits: { ...commits, acknowledgedEnd }, leave }
}

/**
 * Checkpoint threshold in pages while appends arrive one at a time. A small log is soon overwritten
 * from its beginning, and syncing a file that does not grow takes half as long.
 */
const pagesWhenAlone = 1_000

/** Commits in a worker, but inline while there is only one request. */
const commitApart = (
  file: string,
  database: Database.Database,
  isAlone: () => boolean,
  committed: (end: Position) => void,
  { memory, observe: onCommit }: Measures,
): Committed => {
  database.pragma(`wal_autocheckpoint = ${pagesWhenAlone}`)
  const writer = writeEvents(database)
  const commits = commitInWorker(file, committed, { isAlone, writer, onCommit }, memory)
  return { commits, leave: writer.close, shareWriter: commits.share }
}

const commitShared = (port: MessagePort, committed: (end: Position) => void): Committed => ({
  commits: commitThrough(port, committed),
  leave: (): void => {},
})

/** Where appends are committed: inline, in a new thread, or through a port. */
export type Committing = Where | MessagePort

/** What SQLite finds wrong with a file. @throws StoreUnavailable */
const damageIn = (database: Database.Database): string[] => {
  try {
    const reports = database.pragma('integrity_check') as readonly { integrity_check: string }[]
    return reports.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok')
  } catch (error) {
    // The damage keeps SQLite from checking further.
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_CORRUPT')
      return [error.message]
    throw unavailable(error)
  }
}

/** Opens or creates an event log in a file. @throws Error if the file is unusable */
export const openEventLog = (
  file: string,
  use: Use = 'append',
  committing: Committing = 'inline',
  isAlone: () => boolean = () => false,
  options: OpenOptions = {},
): EventLog => {
  const database = openEventFile(file, use, options)
  const rows = readEventRows(database)
  const end: EventLog['end'] = (kind) => commits.acknowledgedEnd(rows.head(kind))
  const { grown, look, wake, release } = watchGrowth(end)
  const measures = measureCommits()
  const commit = (): Committed => {
    if (committing === 'inline') return commitInThisThread(file, database, look, wake, measures)
    if (committing === 'worker') return commitApart(file, database, isAlone, wake, measures)
    return commitShared(committing, wake)
  }
  const { commits, leave, shareWriter } = commit()
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  const areSame = sameFiles(file)
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
    damage: () => damageIn(database),
    shareWriter,
    commits: measures,
    checkpoint: () => {
      if (areSame()) checkpoint.get()
    },
    get isClosed() {
      return closing !== undefined
    },
    close: () => (closing ??= finishAndClose()),
  }
}
