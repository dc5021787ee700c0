import Database, { inFile } from '../sqlite.ts'
import { isWrapped, type VaultKey } from './vault-keys.ts'
import { vaultNameOf } from './vault-name.ts'
import type { Rewrapped } from './vault-port.ts'
import { aboutPerson, aboutSecret, openWrapping } from './vault-wrapping.ts'

/** How long another process may hold the file, in ms. */
const timeout = 10_000

/** Few, because others wait meanwhile. */
const rowsAtOnce = 200

type Stored = { readonly id: string; readonly key: Buffer }

/** What is kept in clear, and how it is kept wrapped. */
const tablesOf = (sqlite: Database.Database) => {
  const tableOf = (name: string, id: string, key: string, about: (id: string) => string) => ({
    about,
    clear: sqlite.prepare<[number], Stored>(
      `SELECT ${id} AS id, ${key} AS key FROM ${name}
       WHERE substr(${key}, 1, 4) <> CAST('dbw1' AS BLOB) LIMIT ? + 0`,
    ),
    update: sqlite.prepare(`UPDATE ${name} SET ${key} = ? WHERE ${id} = ?`),
  })
  return [
    tableOf('secrets', 'name', 'secret', aboutSecret),
    tableOf('people', 'id', 'key', aboutPerson),
  ]
}

/**
 * Wraps a vault by a key, beside running services that were given it too. A vault in clear becomes
 * a wrapped one, a few rows at a time; it may be called again after it was interrupted.
 */
export const rewrapVault = (file: string, target: VaultKey, keys: readonly VaultKey[]): Rewrapped =>
  inFile(file, () => {
    const sqlite = new Database(file, { fileMustExist: true, timeout })
    try {
      sqlite.pragma('secure_delete = ON')
      const wrapping = openWrapping(sqlite, keys)
      const before = wrapping.wrappedBy()
      if (before !== target.id) sqlite.transaction(() => wrapping.wrapBy(target)).immediate()
      let wrapped = 0
      for (const { clear, update, about } of tablesOf(sqlite)) {
        const wrapSome = sqlite.transaction((): number => {
          const rows = clear.all(rowsAtOnce)
          for (const { id, key } of rows) update.run(wrapping.protect(key, about(id)), id)
          return rows.length
        })
        for (let count = 1; count > 0; wrapped += count) count = wrapSome.immediate()
      }
      const secret = sqlite.prepare("SELECT secret FROM secrets WHERE name = 'identifiers'")
      const identifiers = secret.pluck().get() as Buffer | undefined
      if (identifiers && isWrapped(identifiers))
        wrapping.name(vaultNameOf(wrapping.reveal(identifiers, aboutSecret('identifiers'))))
      return { wrapped_by: target.id, before: before ?? null, wrapped }
    } finally {
      sqlite.close()
    }
  })
