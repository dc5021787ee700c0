import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../../application/event-store.ts'
import { openVault, type Vault } from '../../infrastructure/people/vault.ts'
import Database from '../../infrastructure/sqlite.ts'

let folder: string
let here: Vault
let elsewhere: Vault

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-vault-'))
  // As two processes have it: each its own memory of one file.
  here = openVault(join(folder, 'vault.sqlite'))
  elsewhere = openVault(join(folder, 'vault.sqlite'))
})

afterEach(() => {
  here.close()
  elsewhere.close()
  rmSync(folder, { recursive: true })
})

describe('two vaults on one file', () => {
  test('given a name that one seals, then the other seals it equally and reads it', () => {
    const person = here.personFor('4741234567')
    const sealed = here.seal(person, 'Kari Nordmann')
    expect(elsewhere.personFor('4741234567')).toBe(person)
    expect(elsewhere.seal(person, 'Kari Nordmann')).toBe(sealed)
    expect(elsewhere.unseal(person, sealed)).toBe('Kari Nordmann')
    expect(sealed).not.toContain('Kari')
  })

  test('given somebody whom both remember, when one erases them, then neither knows them any more', async () => {
    const person = here.personFor('4741234567')
    const sealed = here.seal(person, 'Kari Nordmann')
    expect(here.unseal(person, sealed)).toBe('Kari Nordmann')
    expect(elsewhere.findPerson('4741234567')).toBe(person)
    expect(elsewhere.unseal(person, sealed)).toBe('Kari Nordmann')
    elsewhere.shred(person)
    await nextTurn()
    for (const vault of [here, elsewhere]) {
      expect(vault.findPerson('4741234567')).toBeUndefined()
      expect(vault.hasPerson(person)).toBe(false)
      expect(vault.unseal(person, sealed)).toBeUndefined()
      expect(() => vault.seal(person, 'Kari Nordmann')).toThrow('no key of this person')
    }
  })

  test('given a look in the same turn of the loop, when another erases after it, then the next look sees it', async () => {
    const person = here.personFor('4741234567')
    const sealed = here.seal(person, 'Kari Nordmann')
    await nextTurn()
    expect(here.unseal(person, sealed)).toBe('Kari Nordmann')
    await Promise.resolve()
    elsewhere.shred(person)
    expect(here.unseal(person, sealed)).toBeUndefined()
  })

  test('given an erased person, when the number comes again, then it is somebody new', async () => {
    const before = here.personFor('4741234567')
    const sealed = here.seal(before, 'Kari Nordmann')
    here.shred(before)
    await nextTurn()
    const after = elsewhere.personFor('4741234567')
    expect(after).not.toBe(before)
    expect(elsewhere.unseal(after, sealed)).toBeUndefined()
  })
})

test('given another process that holds the file, when somebody new is named, then the store is unavailable for that time', () => {
  const other = new Database(join(folder, 'vault.sqlite'))
  const known = here.personFor('4741234567')
  other.exec('BEGIN IMMEDIATE')
  expect(() => here.personFor('4747654321')).toThrow(StoreUnavailable)
  expect(here.personFor('4741234567')).toBe(known)
  other.exec('COMMIT')
  other.close()
  expect(here.personFor('4747654321')).not.toBe(known)
})

test('given the contents of many files, when they are sealed and read, then none stays in memory', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const person = here.personFor('4741234567')
  const before = used()
  const length = 500_000
  for (let file = 0; file < 60; file++) {
    const sealed = here.seal(person, String.fromCharCode(65 + file).repeat(length))
    expect(here.unseal(person, sealed)).toHaveLength(length)
  }
  expect(used() - before).toBeLessThan(10 * length)
})
