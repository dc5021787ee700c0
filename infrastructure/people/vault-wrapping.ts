import type Database from 'better-sqlite3'
import { StoreUnavailable } from '../../application/event-store.ts'
import { isWrapped, unwrap, wrap, type VaultKey } from './vault-keys.ts'
import { randomBytes } from '../../application/machine.ts'

const table = `
  CREATE TABLE IF NOT EXISTS wrapping (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key_id TEXT NOT NULL,
    master BLOB NOT NULL,
    vault TEXT
  ) STRICT;`

/** Binds the wrapped master key to its place. */
export const aboutMaster = 'master'
export const aboutPerson = (id: string): string => `person ${id}`
export const aboutSecret = (name: string): string => `secret ${name}`

/** The vault is wrapped with a key that this process does not have. */
export class VaultLocked extends StoreUnavailable {
  override readonly name = 'VaultLocked'
}

/** @throws VaultLocked */
export const unlockMaster = (
  { keyId, master }: { readonly keyId: string; readonly master: Buffer },
  keys: readonly VaultKey[],
): Buffer => {
  const given = keys.find(({ id }) => id === keyId)
  if (!given)
    throw new VaultLocked(
      `the vault is wrapped by key ${keyId}: name it with VAULT_KEY_FILE or VAULT_KEY_COMMAND`,
    )
  const key = unwrap(given.key, master, aboutMaster)
  if (!key) throw new VaultLocked('the master key of the vault was altered: restore the vault')
  return key
}

/** What is readable of a wrapped vault without its key. */
export type Wrapping = { readonly key_id: string; readonly vault: string | null }

/**
 * A vault's keys and secrets are encrypted with its master key, which is encrypted with an external
 * key. To change the external key, only the master key is wrapped again, while services keep
 * running.
 */
export const openWrapping = (sqlite: Database.Database, keys: readonly VaultKey[]) => {
  sqlite.exec(table)
  const find = sqlite.prepare<[], Wrapping & { readonly master: Buffer }>('SELECT * FROM wrapping')
  const add = sqlite.prepare('INSERT OR IGNORE INTO wrapping VALUES (1, ?, ?, NULL)')
  const replace = sqlite.prepare('UPDATE wrapping SET key_id = ?, master = ?')
  const addName = sqlite.prepare('UPDATE wrapping SET vault = ? WHERE vault IS NULL')
  let known: Buffer | undefined

  /** Undefined if nothing is wrapped. @throws VaultLocked */
  const master = (): Buffer | undefined => {
    if (known) return known
    const row = find.get()
    if (!row) return undefined
    return (known = unlockMaster({ keyId: row.key_id, master: row.master }, keys))
  }

  return {
    wrappedBy: (): string | undefined => find.get()?.key_id,
    /** Wraps new values with the first key, or the same master key with another one. */
    wrapBy: ({ id, key }: VaultKey): void => {
      const kept = master()
      if (kept) replace.run(id, wrap(key, kept, aboutMaster))
      else add.run(id, wrap(key, randomBytes(32), aboutMaster))
    },
    /** Makes a copy identifiable without its key. */
    name: (vault: string): void => void addName.run(vault),
    protect: (plain: Buffer, about: string): Buffer => {
      const key = master()
      return key ? wrap(key, plain, about) : plain
    },
    /** @throws VaultLocked */
    reveal: (stored: Buffer, about: string): Buffer => {
      if (!isWrapped(stored)) return stored
      const key = master()
      const plain = key && unwrap(key, stored, about)
      if (!plain) throw new VaultLocked('a key in the vault was altered: restore the vault')
      return plain
    },
  }
}
