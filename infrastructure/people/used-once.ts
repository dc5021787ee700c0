import { createHash } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import type { Instant } from '../../domain/time.ts'
import { isDamage } from '../read-models/read-model-file.ts'
import Database from '../sqlite.ts'
import { unavailable } from '../system-errors.ts'

const table = `CREATE TABLE IF NOT EXISTS used (
  name BLOB PRIMARY KEY,
  at INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID`

/** How long a use waits for another process's lock, in ms; this process is blocked meanwhile. */
const timeoutMs = 50

/** How often expired uses are removed, in ms. */
const cleaningEvery = 60_000

const openFile = (file: string, table: string): Database.Database => {
  const sqlite = new Database(file, { timeout: timeoutMs })
  try {
    chmodSync(file, 0o600)
    // Nodes may share it over a network. Uses lost in a power cut expire soon after.
    sqlite.pragma('journal_mode = TRUNCATE')
    sqlite.pragma('synchronous = OFF')
    sqlite.exec(table)
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/** Replaces a damaged file, because nothing in it is worth keeping. */
const openOrReplace = (file: string, table: string): Database.Database => {
  try {
    return openFile(file, table)
  } catch (error) {
    if (!isDamage(error)) throw error
    for (const suffix of ['', '-journal']) rmSync(file + suffix, { force: true })
    return openFile(file, table)
  }
}

/** A file that is opened on first use. */
export const fileOnDemand = <Statements extends object>(
  file: string,
  table: string,
  prepare: (sqlite: Database.Database) => Statements,
) => {
  type Opened = Statements & { readonly sqlite: Database.Database }
  let opened: Opened | undefined
  const open = (): Opened => {
    const sqlite = openOrReplace(file, table)
    return { sqlite, ...prepare(sqlite) }
  }
  return {
    /** @throws StoreUnavailable while the file cannot be used */
    guarded: <Result>(use: (opened: Opened) => Result): Result => {
      try {
        return use((opened ??= open()))
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error
        throw unavailable(error)
      }
    },
    close: (): void => {
      opened?.sqlite.close()
      opened = undefined
    },
  }
}

type Kept = { readonly name: Buffer; readonly at: Instant; readonly until: Instant }

const prepared = (sqlite: Database.Database) => ({
  add: sqlite.prepare('INSERT OR IGNORE INTO used VALUES (?, ?, ?)'),
  note: sqlite.prepare(
    `INSERT INTO used VALUES (?, ?, ?) ON CONFLICT DO UPDATE
     SET at = max(at, excluded.at), until = max(until, excluded.until)`,
  ),
  at: sqlite.prepare<[Buffer], number>('SELECT at FROM used WHERE name = ?').pluck(),
  all: sqlite.prepare<[], Kept>('SELECT name, at, until FROM used'),
  clean: sqlite.prepare('DELETE FROM used WHERE until < ?'),
})

/** `name` is a digest in base64. */
export type Use = { readonly name: string; readonly at: Instant; readonly until: Instant }

/** One-time uses across all nodes. All calls throw StoreUnavailable while they cannot be stored. */
export type UsedOnce = {
  isFirst(name: string, now: Instant, until: Instant): Promise<boolean>
  /** Records a use; the latest one counts. */
  note(name: string, at: Instant, until: Instant): Promise<void>
  latest(name: string): Promise<Instant | undefined>
  /** Everything stored, to move it. */
  all(): Promise<readonly Use[]>
  keep(uses: readonly Use[]): Promise<void>
  close(): void
}

/**
 * One-time uses across all nodes, in a file beside the shared vault: digests of DPoP proofs and
 * message codes, until they expire.
 */
export const usedOnce = (file: string, key: string): UsedOnce => {
  const { guarded, close } = fileOnDemand(file, table, prepared)
  let cleanedAt = -Infinity
  const nameOf = (name: string): Buffer => createHash('sha256').update(`${key} ${name}`).digest()

  return {
    isFirst: async (name, now, until) =>
      guarded(({ add, clean }) => {
        if (now >= cleanedAt + cleaningEvery) clean.run(now)
        cleanedAt = Math.max(now, cleanedAt)
        return add.run(nameOf(name), now, until).changes === 1
      }),
    note: async (name, at, until) => guarded(({ note }) => void note.run(nameOf(name), at, until)),
    latest: async (name) => guarded(({ at }) => at.get(nameOf(name))),
    all: async () =>
      guarded(({ all }) =>
        all.all().map(({ name, ...use }) => ({ ...use, name: name.toString('base64') })),
      ),
    keep: async (uses) =>
      guarded(({ sqlite, note }) =>
        sqlite.transaction(() => {
          for (const { name, at, until } of uses) note.run(Buffer.from(name, 'base64'), at, until)
        })(),
      ),
    close,
  }
}
