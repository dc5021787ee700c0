import { execFileSync } from 'node:child_process'
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { noVaultKey, settingShown, WrongSettings, type Settings } from '../settings.ts'
import { randomBytes } from '../../application/machine.ts'

/** A key that wraps a vault, stored outside it. */
export type VaultKey = { readonly id: string; readonly key: Buffer }

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Marks wrapped values: no plain key or secret in a vault begins like this. */
const mark = Buffer.from('dbw1')

/** How long a command may take to print the keys, in ms. */
const timeoutMs = 30_000

const keyOf = (line: string): VaultKey | undefined => {
  const key = /^[\da-f]{64}$/i.test(line) ? Buffer.from(line, 'hex') : Buffer.from(line, 'base64')
  if (key.length !== keyBytes) return undefined
  const id = createHash('sha256').update('daybook vault key').update(key).digest('hex').slice(0, 8)
  return { id, key }
}

const keysIn = (text: string, setting: string): readonly VaultKey[] => {
  const lines = text.split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line !== '').map(keyOf)
  if (keys.length > 0 && keys.every((key) => key !== undefined)) return keys as VaultKey[]
  throw new WrongSettings(
    `${setting}: must give 32 random bytes as base64 or hexadecimal, a key on each line`,
  )
}

const reading = (setting: string, read: () => string): readonly VaultKey[] => {
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
    return reading(settingShown('VAULT_KEY_FILE', file), () => readFileSync(file, 'utf8'))
  if (command === undefined) return []
  const options = { encoding: 'utf8', timeout: timeoutMs } as const
  return reading(settingShown('VAULT_KEY_COMMAND', command), () =>
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
