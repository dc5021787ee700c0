import { accessSync, constants, existsSync, statSync, realpathSync } from 'node:fs'
import Database, { inFile } from '../sqlite.ts'
import { reasonOf } from '../system-errors.ts'
import { uuidOf, leafHash, type Content } from './event-entry.ts'
import { lossOf, readMark } from './marks.ts'
import { BroadcastChannel } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'
import { clearInterval, isOneThread, setInterval, steadyTime } from '../../application/machine.ts'

type OldRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: Content,
  metadata: Content | null,
]

const rowsAtOnce = 1_000

/**
 * Adds a checksum of the current content to each event of a file in the first format, within the
 * caller's transaction. Returns their number.
 */
const addChecksums = (database: Database.Database): number => {
  database.exec(`
    DROP TRIGGER IF EXISTS events_are_not_changed;
    ALTER TABLE events ADD COLUMN checksum TEXT NOT NULL DEFAULT '';`)
  const select = database
    .prepare<[number, number], OldRow>(
      `SELECT position, name, revision, lower(hex(events.id)), type, data, metadata
       FROM events CROSS JOIN streams ON streams.id = events.stream
       WHERE position > ? ORDER BY position LIMIT ? + 0`,
    )
    .raw()
  const update = database.prepare('UPDATE events SET checksum = ? WHERE position = ?')
  let [count, last] = [0, 0]
  for (;;) {
    const rows = select.all(last, rowsAtOnce)
    for (const [position, stream, revision, id, type, data, metadata] of rows) {
      update.run(leafHash({ stream, revision, id, type, data, metadata }), position)
      last = position
    }
    count += rows.length
    if (rows.length < rowsAtOnce) return count
  }
}

/** How often a follower checks for other processes' commits, in ms. */
const pollInterval = 20

/** In the simulator nobody commits unannounced, and half of all its timers were polls. */
const pollEvery = (): number => (isOneThread() ? 1_000 : pollInterval)

export const commitsTo = (file: string): BroadcastChannel => {
  const threads = new BroadcastChannel(`commits to ${realpathSync(file)}`)
  threads.unref()
  return threads
}

/**
 * Announces a commit unless one was just announced: announcing each would wake other threads a
 * thousand times a second, and followers also poll.
 */
export const announceThrottled = (tell: () => void, elapsed = steadyTime): (() => void) => {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = elapsed()
    if (now - last < pollInterval) return
    last = now
    tell()
  }
}

/** Wakes waiting followers: on announcements, and by polling soon after other commits. */
export const watchGrowth = (head: () => Position, pollEveryMs = pollEvery()) => {
  const waiters = new Map<() => void, { readonly after: Position; readonly signal: AbortSignal }>()
  /** A follower waits often, with one signal. */
  const heeded = new WeakSet<AbortSignal>()
  let poll: NodeJS.Timeout | undefined

  const release = (isOver: (waiting: Position, signal: AbortSignal) => boolean): void => {
    for (const [resolve, { after, signal }] of waiters) {
      if (!isOver(after, signal)) continue
      waiters.delete(resolve)
      poll?.refresh()
      resolve()
    }
  }

  const wake = (until: Position): void => release((after) => after < until)

  const look = (): void => {
    try {
      if (waiters.size > 0) wake(head())
    } catch {
      // The file could not be read; followers wait for the next poll.
    }
  }

  /** It goes on while followers are busy, until one poll finds none that waits. */
  const lookAgain = (): void => {
    if (waiters.size > 0) return look()
    clearInterval(poll)
    poll = undefined
  }

  const heed = (signal: AbortSignal): void => {
    if (heeded.has(signal)) return
    heeded.add(signal)
    const leave = (): void => release((_, waiting) => waiting === signal)
    signal.addEventListener('abort', leave, { once: true })
  }

  const grown = (after: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      heed(signal)
      waiters.set(resolve, { after, signal })
      poll ??= setInterval(lookAgain, pollEveryMs).unref()
    })

  return { grown, look, wake, release: () => wake(Number.POSITIVE_INFINITY) }
}

/** The pace of a thread that follows no further than it is told: to what another has folded. */
export const paceFrom = (from: Position) => {
  let end = from
  const { grown, wake } = watchGrowth(() => end, 3_600_000)
  return {
    end: (): Position => end,
    grown,
    to: (position: Position): void => {
      end = Math.max(end, position)
      wake(end)
    },
  }
}

export type Pace = ReturnType<typeof paceFrom>

const identityOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}/${found.ino}`
}

/**
 * Checks whether a database, its write-ahead log and its shared-memory file still exist under their
 * names. A process that has removed files open would keep writing to them unseen, and with separate
 * locks would destroy what others write. Create it while all files exist.
 */
export const sameFiles = (file: string) => {
  const paths = [file, `${file}-wal`, `${file}-shm`]
  const opened = paths.map(identityOf)
  return (): boolean => paths.every((path, index) => identityOf(path) === opened[index])
}

// "dayb" in ASCII, which identifies the file to `file` and to the check below.
const applicationId = 0x64617962

const version = 2

/** The last format without checksums. */
const versionWithout = 1

/** How long opening waits for another process's lock, in ms. */
const openingTimeout = 5_000

/** How long one attempt may block this thread while another process writes, in ms. */
const blockingTimeout = 20

/**
 * Write-ahead log size, in pages of 4 KiB, at which an append must checkpoint it. A service
 * checkpoints in the background, which keeps the remaining work small but cannot restart the
 * write-ahead log.
 */
const pagesBetweenCheckpoints = 4_000

// Data and metadata are text if they are JSON, else a blob; metadata may be missing.
const schema = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    id BLOB NOT NULL CHECK (length(id) = 16),
    type TEXT NOT NULL,
    data ANY NOT NULL,
    metadata ANY,
    recorded INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${version};
`

// Guards against changing events by mistake. SQLite runs no trigger for rows deleted by REPLACE,
// and checking each append would make committing a row about 8 % slower.
const guards = `
  CREATE TRIGGER IF NOT EXISTS events_are_not_changed BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'what has happened cannot be changed'); END;
  CREATE TRIGGER IF NOT EXISTS events_are_not_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'what has happened cannot be deleted'); END;
  CREATE TRIGGER IF NOT EXISTS streams_are_not_changed BEFORE UPDATE ON streams
  BEGIN SELECT RAISE(ABORT, 'where it has happened cannot be changed'); END;
  CREATE TRIGGER IF NOT EXISTS streams_are_not_deleted BEFORE DELETE ON streams
  BEGIN SELECT RAISE(ABORT, 'where it has happened cannot be deleted'); END;
`

/** The file is not a usable event log; the message says why. */
export class UnusableLog extends Error {
  override readonly name = 'UnusableLog'
}

const numberOf = (database: Database.Database, pragma: string): number =>
  Number(database.pragma(pragma, { simple: true }))

const refuseForeignFile = (database: Database.Database, file: string): void => {
  const tables = Number(database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get())
  const isOurs = numberOf(database, 'application_id') === applicationId
  if (!isOurs && tables > 0) throw new UnusableLog(`${file} is a database, but not an event log`)
  const found = numberOf(database, 'user_version')
  if (isOurs && found > version) {
    throw new UnusableLog(
      `${file} has format ${found}, this program reads formats up to ${version}`,
    )
  }
}

export const hasChecksums = (database: Database.Database): boolean =>
  numberOf(database, 'user_version') > versionWithout

/** File that notes the newest event outside the write-ahead log, which one wrong bit cuts short. */
export const headOf = (file: string): string => `${file}-head`

/** The id of the event at a position, and the last position. */
const lookAt = (file: string, position: number) => {
  const database = new Database(file, { readonly: true, timeout: openingTimeout })
  try {
    const found = database.prepare('SELECT lower(hex(id)) FROM events WHERE position = ?').pluck()
    const last = database.prepare('SELECT max(position) FROM events').pluck()
    const id = found.get(position) as string | undefined
    return { id, end: (last.get() as number | null) ?? 0 }
  } finally {
    database.close()
  }
}

/**
 * Checks that the newest written event exists. Uses a read-only connection: closing another would
 * empty a damaged write-ahead log. @throws UnusableLog
 */
const refuseLostEnd = (file: string): void => {
  const mark = readMark(headOf(file))
  if (!mark) return
  if (!existsSync(file)) throw new UnusableLog(`${file} is missing: ${headOf(file)} tells of it`)
  let found = { id: undefined as string | undefined, end: 0 }
  try {
    found = lookAt(file, mark.position)
  } catch (error) {
    // If it is not a log, opening it reports that.
    if (!(error instanceof Database.SqliteError)) throw error
    if (error.code !== 'SQLITE_ERROR') return
  }
  if (found.id === undefined || uuidOf(found.id) !== mark.event)
    throw new UnusableLog(lossOf(mark, found.end, 'was written'))
}

/** SQLite also opens read-only files, and would fail each append. */
const refuseReadOnly = (file: string): void => {
  for (const path of [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path)))
    try {
      accessSync(path, constants.W_OK)
    } catch (error) {
      throw new UnusableLog(`${path} cannot be written: ${reasonOf(error) ?? String(error)}`)
    }
}

const makeDurable = (database: Database.Database, file: string): void => {
  const journal = database.pragma('journal_mode = WAL', { simple: true })
  if (journal !== 'wal') throw new UnusableLog(`${file} cannot be kept with a write-ahead log`)
  database.pragma('synchronous = FULL')
  // 2 is FULL: anything less acknowledges appends that a power cut loses.
  if (numberOf(database, 'synchronous') !== 2)
    throw new UnusableLog(`${file} cannot be made durable`)
}

/**
 * `append` creates the file if missing, `append there` requires it, `read` needs no permission to
 * write.
 */
export type Use = 'append' | 'append there' | 'read'

export type OpenOptions = {
  /** Receives the number of events of an older file that got checksums. */
  readonly onChecksums?: ((events: number) => void) | undefined
  /** The operator accepts a log that lost events. */
  readonly acceptsLoss?: boolean | undefined
  /** Followers go no faster, and events are not checked again for them. */
  readonly pace?: Pace | undefined
}

const openFile = (file: string, use: Use, { onChecksums, acceptsLoss }: OpenOptions) => {
  if (use === 'append' && !acceptsLoss) refuseLostEnd(file)
  const readonly = use === 'read'
  const fileMustExist = use !== 'append'
  const database = new Database(file, { timeout: openingTimeout, readonly, fileMustExist })
  try {
    if (!readonly) refuseReadOnly(file)
    refuseForeignFile(database, file)
    if (readonly) {
      if (numberOf(database, 'application_id') === applicationId) return database
      throw new UnusableLog(`${file} is empty: nothing was ever written to it`)
    }
    makeDurable(database, file)
    database.pragma(`wal_autocheckpoint = ${pagesBetweenCheckpoints}`)
    // In KiB: appends touch few pages, the system caches the file too, and a commit may scan the
    // whole cache.
    database.pragma('cache_size = -4096')
    database
      .transaction(() => {
        // Another process may have created the tables since.
        if (numberOf(database, 'application_id') !== applicationId) database.exec(schema)
        if (numberOf(database, 'user_version') === versionWithout) {
          onChecksums?.(addChecksums(database))
          database.pragma(`user_version = ${version}`)
        }
        database.exec(guards)
      })
      .immediate()
    database.pragma(`busy_timeout = ${blockingTimeout}`)
    return database
  } catch (error) {
    database.close()
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_NOTADB')
      throw new UnusableLog(`${file} is a file, but not an event log`)
    throw error
  }
}

/**
 * Opens an event log's file; creates it if missing, unless it must exist.
 * @throws UnusableLog if it is no event log, is from a newer version or cannot be made durable
 */
export const openEventFile = (
  file: string,
  use: Use = 'append',
  options: OpenOptions = {},
): Database.Database => inFile(file, () => openFile(file, use, options))
