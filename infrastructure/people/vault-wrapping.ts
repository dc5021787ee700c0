import type Database from 'better-sqlite3'
import { StoreUnavailable } from '../../application/event-store.ts'
import { randomBytes } from '../../application/machine.ts'
import { execFileSync } from 'node:child_process'
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { noVaultKey, printSetting, WrongSettings, type Settings } from '../settings.ts'

/** A key that wraps a vault, stored outside it. */
export type VaultKey = { readonly id: string; readonly key: Buffer }

const keyBytes = 32

const nonceBytes = 12

const tagBytes = 16

/** Marks wrapped values: no plain key or secret in a vault begins like this. */
export const mark = Buffer.from('dbw1')

/** How long a command may take to print the keys, in ms. */
export const timeoutMs = 30_000

export const keyOf = (line: string): VaultKey | undefined => {
  const key = /^[\da-f]{64}$/i.test(line) ? Buffer.from(line, 'hex') : Buffer.from(line, 'base64')
  if (key.length !== keyBytes) return undefined
  const id = createHash('sha256').update('daybook vault key').update(key).digest('hex').slice(0, 8)
  return { id, key }
}

export const keysIn = (text: string, setting: string): readonly VaultKey[] => {
  const lines = text.split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line !== '').map(keyOf)
  if (keys.length > 0 && keys.every((key) => key !== undefined)) return keys as VaultKey[]
  throw new WrongSettings(
    `${setting}: must give 32 random bytes as base64 or hexadecimal, a key on each line`,
  )
}

export const reading = (setting: string, read: () => string): readonly VaultKey[] => {
  let text: string
  try {
    text = read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new WrongSettings(`${setting}: ${reason}`)
  }
  return keysIn(text, setting)
}

/** The configured keys; the first one wraps. Empty without a setting. @throws WrongSettings */
export const readVaultKeys = ({
  VAULT_KEY_FILE: file,
  VAULT_KEY_COMMAND: command,
}: Pick<Settings, 'VAULT_KEY_FILE' | 'VAULT_KEY_COMMAND'>): readonly VaultKey[] => {
  if (file !== undefined && command !== undefined)
    throw new WrongSettings('VAULT_KEY_FILE and VAULT_KEY_COMMAND: give one of them')
  if (file === noVaultKey) return []
  if (file !== undefined)
    return reading(printSetting('VAULT_KEY_FILE', file), () => readFileSync(file, 'utf8'))
  if (command === undefined) return []
  const options = { encoding: 'utf8', timeout: timeoutMs } as const
  return reading(printSetting('VAULT_KEY_COMMAND', command), () =>
    execFileSync('/bin/sh', ['-c', command], { ...options, stdio: ['ignore', 'pipe', 'inherit'] }),
  )
}

export const isWrapped = (stored: Buffer): boolean => stored.subarray(0, mark.length).equals(mark)

/** Encrypts with AES-256-GCM, bound to the place named by `about`. */
export const wrap = (key: Buffer, plain: Buffer, about: string): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([mark, nonce, cipher.getAuthTag(), sealed])
}

/** Undefined if the key is wrong, or the wrapped value was altered or moved. */
export const unwrap = (key: Buffer, wrapped: Buffer, about: string): Buffer | undefined => {
  const nonce = wrapped.subarray(mark.length, mark.length + nonceBytes)
  const sealed = wrapped.subarray(mark.length + nonceBytes)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(0, tagBytes))
    return Buffer.concat([decipher.update(sealed.subarray(tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}

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
  const found = keys.find(({ id }) => id === keyId)
  if (!found)
    throw new VaultLocked(
      `the vault is wrapped by key ${keyId}: name it with VAULT_KEY_FILE or VAULT_KEY_COMMAND`,
    )
  const key = unwrap(found.key, master, aboutMaster)
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
