import { createHmac } from 'node:crypto'
import { open as openFile } from 'node:fs/promises'
import { afterFailure, checkLockout, unlocked, type Lockout } from '../../domain/people/lockout.ts'
import type { Instant } from '../../domain/time.ts'
import Database from '../sqlite.ts'
import { unavailable } from '../unavailable.ts'
import { openOrReplace } from './used-once.ts'

const table = `CREATE TABLE IF NOT EXISTS strangers (
  name BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  lockedUntil INTEGER NOT NULL,
  failedAt INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS strangers_by_time ON strangers (failedAt)`

/** Some 10 MB. A flood that forgets the first has to fail as often. */
const mostKept = 100_000

const prepared = (sqlite: Database.Database) => ({
  of: sqlite.prepare<[Buffer], Lockout>(
    'SELECT failures, lockedUntil FROM strangers WHERE name = ?',
  ),
  keep: sqlite.prepare('INSERT OR REPLACE INTO strangers VALUES (?, ?, ?, ?)'),
  /** Only the newest stay. */
  clean: sqlite.prepare(
    `DELETE FROM strangers WHERE failedAt <=
       (SELECT failedAt FROM strangers ORDER BY failedAt DESC LIMIT 1 OFFSET ?)`,
  ),
})

/**
 * Locks unknown phone numbers as payers are locked, so that answers do not reveal which exist: in
 * a file, for all processes and over a restart. Not in the log: strangers must not make it grow.
 * The newest numbers are kept, as keyed digests.
 * Long because all share one file, which is opened again after an error.
 */
export const strangerLockouts = (file: string, key: string, most = mostKept) => {
  let opened: ({ readonly sqlite: Database.Database } & ReturnType<typeof prepared>) | undefined
  let untilCleaned = 0
  const nameOf = (identifier: string): Buffer =>
    createHmac('sha256', key).update(identifier).digest()

  const open = () => {
    if (opened) return opened
    const sqlite = openOrReplace(file, table)
    return (opened = { sqlite, ...prepared(sqlite) })
  }

  /** @throws StoreUnavailable while the file cannot be used, as for payers without the log */
  const guarded = (use: (statements: ReturnType<typeof open>) => void): void => {
    try {
      use(open())
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error
      throw unavailable(error)
    }
  }

  /** The answer waits for the disk, as that of a payer waits for the log. */
  const sync = async (): Promise<void> => {
    try {
      const handle = await openFile(file, 'r+')
      try {
        await handle.datasync()
      } finally {
        await handle.close()
      }
    } catch (error) {
      throw unavailable(error)
    }
  }

  return {
    /** @throws Refusal sign_in_is_locked */
    check: (identifier: string, at: Instant): void =>
      guarded(({ of }) => checkLockout(of.get(nameOf(identifier)) ?? unlocked, at)),
    /** Concurrent guesses may have locked the number. @throws Refusal sign_in_is_locked */
    fail: async (identifier: string, at: Instant): Promise<void> => {
      guarded(({ sqlite, of, keep, clean }) => {
        const name = nameOf(identifier)
        const count = sqlite.transaction(() => {
          const before = of.get(name) ?? unlocked
          checkLockout(before, at)
          const { failures, lockedUntil } = afterFailure(before, at)
          keep.run(name, failures, lockedUntil, at)
        })
        count.immediate()
        untilCleaned -= 1
        if (untilCleaned > 0) return
        clean.run(most)
        untilCleaned = Math.ceil(most / 100)
      })
      await sync()
    },
    close: (): void => {
      opened?.sqlite.close()
      opened = undefined
    },
  }
}
