import { createHmac } from 'node:crypto'
import { open as openFile } from 'node:fs/promises'
import { afterFailure, checkLockout, unlocked, type Lockout } from '../../domain/people/lockout.ts'
import type { Instant } from '../../domain/time.ts'
import { aside } from '../../application/machine.ts'
import type Database from '../sqlite.ts'
import { unavailable } from '../system-errors.ts'
import { fileOnDemand } from './used-once.ts'

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

/** Counts failures of unknown phone numbers as those of payers are counted. */
export type StrangerLockouts = {
  /** @throws Refusal sign_in_is_locked */
  check(identifier: string, at: Instant): Promise<void>
  /** Waits until it is stored. @throws Refusal sign_in_is_locked by a concurrent guess */
  fail(identifier: string, at: Instant): Promise<void>
  close(): void
}

/**
 * Locks unknown phone numbers as payers are locked, so that answers do not reveal which exist: in
 * a file, for all processes of a host and over a restart. Not in the log: strangers must not make
 * it grow. The newest numbers are kept, as keyed digests.
 * Long because all share one file, which is opened again after an error.
 */
export const strangerLockouts = (file: string, key: string, most = mostKept): StrangerLockouts => {
  // While the file cannot be used, sign-ins fail as those of payers do without the log.
  const { guarded, close } = fileOnDemand(file, table, prepared)
  let untilCleaned = 0
  const nameOf = (identifier: string): Buffer =>
    createHmac('sha256', key).update(identifier).digest()

  /** The answer waits for the disk, as that of a payer waits for the log. */
  const sync = async (): Promise<void> => {
    try {
      await aside(async () => {
        const handle = await openFile(file, 'r+')
        try {
          await handle.datasync()
        } finally {
          await handle.close()
        }
      })
    } catch (error) {
      throw unavailable(error)
    }
  }

  return {
    check: async (identifier, at) =>
      guarded(({ of }) => checkLockout(of.get(nameOf(identifier)) ?? unlocked, at)),
    fail: async (identifier, at) => {
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
    close,
  }
}
