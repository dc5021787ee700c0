import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  readVaultKeys,
  type VaultKey,
  VaultLocked,
} from '../../infrastructure/people/vault-wrapping.ts'
import { rewrapVault, openVault } from '../../infrastructure/people/vault.ts'
import { readSettings, WrongSettings } from '../../infrastructure/settings.ts'
import Database from '../../infrastructure/sqlite.ts'

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-wrapping-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const keysOf = (text: string): readonly VaultKey[] => {
  const file = join(newFolder(), 'keys')
  writeFileSync(file, text)
  return readVaultKeys(readSettings({ VAULT_KEY_FILE: file }))
}

const newKeys = (): readonly VaultKey[] => keysOf(randomBytes(32).toString('base64'))

const only = ([first]: readonly VaultKey[]): VaultKey => {
  if (!first) throw new Error('there is no key')
  return first
}

const opened = (file: string, keys: readonly VaultKey[] = []) => {
  const vault = openVault(file, undefined, keys)
  onTestFinished(() => vault.close())
  return vault
}

/** All keys and secrets as stored in the file. */
const stored = (file: string): readonly Buffer[] => {
  const database = new Database(file, { readonly: true })
  const all = 'SELECT key FROM people UNION ALL SELECT secret FROM secrets'
  const found = database.prepare(all).pluck().all() as Buffer[]
  database.close()
  return found
}

const areWrapped = (file: string): boolean =>
  stored(file).every((one) => one.subarray(0, 4).toString() === 'dbw1')

describe('a vault in clear that is wrapped while services use it', () => {
  test('serves them as before, and holds nothing in clear any more', async () => {
    const file = join(newFolder(), 'vault.sqlite')
    const keys = newKeys()
    const before = opened(file)
    const people = await Promise.all(
      Array.from({ length: 450 }, (_, n) => before.personFor(`474000${n}`)),
    )
    const sealed = people.map((person, n) => before.seal(person, `text ${n}`))
    const clear = stored(file)
    const running = opened(file, keys)

    const done = rewrapVault(file, only(keys), keys)
    expect(done).toEqual({ wrapped_by: only(keys).id, before: null, wrapped: clear.length })
    expect(areWrapped(file)).toBe(true)
    const bytes = readFileSync(file)
    for (const one of clear) expect(bytes.includes(one)).toBe(false)

    for (const vault of [running, opened(file, keys)]) {
      expect(people.map((person, n) => vault.unseal(person, sealed[n] ?? ''))).toEqual(
        people.map((_, n) => `text ${n}`),
      )
      expect(vault.name).toBe(before.name)
      expect(vault.findPerson('4740007')).toBe(people[7])
    }
    await running.personFor('4790000000')
    await running.addSecret('later', Buffer.from('a later secret'))
    expect(areWrapped(file)).toBe(true)
    expect(opened(file, keys).secret('later').toString()).toBe('a later secret')
  })
})

describe('a wrapped vault', () => {
  test('is one from its beginning, and is opened with its key alone', async () => {
    const file = join(newFolder(), 'vault.sqlite')
    const keys = newKeys()
    await opened(file, keys).personFor('4740000001')
    expect(areWrapped(file)).toBe(true)
    expect(() => openVault(file)).toThrow(VaultLocked)
    expect(() => openVault(file, undefined, newKeys())).toThrow(
      `the vault is wrapped by key ${only(keys).id}: name it with VAULT_KEY_FILE`,
    )
  })

  test('is wrapped by another key without those who use it noticing', async () => {
    const file = join(newFolder(), 'vault.sqlite')
    const [old, next] = [newKeys(), newKeys()]
    const running = opened(file, old)
    const person = await running.personFor('4740000001')
    const sealed = running.seal(person, 'Kari')
    const both = [...next, ...old]
    expect(rewrapVault(file, only(next), both)).toEqual({
      wrapped_by: only(next).id,
      before: only(old).id,
      wrapped: 0,
    })
    const other = await running.personFor('4740000002')
    const after = opened(file, next)
    expect(after.unseal(person, sealed)).toBe('Kari')
    expect(after.unseal(other, running.seal(other, 'Ola'))).toBe('Ola')
    expect(() => openVault(file, undefined, old)).toThrow(VaultLocked)
  })

  test('refuses a key that was put in the place of another', async () => {
    const file = join(newFolder(), 'vault.sqlite')
    const keys = newKeys()
    const vault = opened(file, keys)
    const [kari, ola] = [await vault.personFor('4740000001'), await vault.personFor('4740000002')]
    const database = new Database(file)
    const key = database.prepare('SELECT key FROM people WHERE id = ?').pluck().get(kari)
    database.prepare('UPDATE people SET key = ? WHERE id = ?').run(key, ola)
    database.close()
    expect(() => opened(file, keys).seal(ola, 'text')).toThrow('altered')
  })
})

describe('the key of a vault', () => {
  test('is read from a file or from what a command prints, in base64 or hexadecimal', () => {
    const key = randomBytes(32)
    const [hex, base64] = [key.toString('hex'), key.toString('base64')]
    const printed = readVaultKeys(readSettings({ VAULT_KEY_COMMAND: `echo ${hex}` }))
    expect(printed).toEqual(keysOf(`${base64}\n`))
    expect(only(printed).key).toEqual(key)
    expect(readVaultKeys(readSettings({}))).toEqual([])
  })

  test.each([
    ['too short', () => keysOf('c2hvcnQ='), 'must give 32 random bytes'],
    ['none', () => keysOf('\n'), 'must give 32 random bytes'],
    [
      'a command that fails',
      () => readVaultKeys(readSettings({ VAULT_KEY_COMMAND: 'exit 3' })),
      'VAULT_KEY_COMMAND="exit 3": Command failed',
    ],
    [
      'both settings',
      () => readVaultKeys(readSettings({ VAULT_KEY_COMMAND: 'x', VAULT_KEY_FILE: 'y' })),
      'give one of them',
    ],
  ])('is refused when it is %s', (_, read, problem) => {
    expect(read).toThrow(WrongSettings)
    expect(read).toThrow(problem)
  })
})
