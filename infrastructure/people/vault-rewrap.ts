import Database, { inFile } from '../sqlite.ts'
import { isWrapped, type VaultKey } from './vault-keys.ts'
import { vaultNameOf } from './vault-name.ts'
import type { Rewrapped } from './vault-port.ts'
import { aboutPerson, aboutSecret, openWrapping } from './vault-wrapping.ts'

/** How long to wait for another process's lock, in ms. */
const timeout = 10_000

/** Small, because others wait meanwhile. */
const rowsAtOnce = 200

type Stored = { readonly id: string; readonly key: Buffer }

/** The tables with plain values, and how to wrap them. */
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
 * Wraps a vault with a key while services that have both keys are running. A plain vault is wrapped
 * a few rows at a time; safe to repeat after an interruption.
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
