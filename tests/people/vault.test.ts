// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '../../application/event-store.ts'
import type { Vault } from '../../infrastructure/people/vault-port.ts'
import { openVault } from '../../infrastructure/people/vault.ts'
import Database from '../../infrastructure/sqlite.ts'
import { vaultContract } from './vault-contract.ts'

vaultContract('the file', () => {
  const shared = mkdtempSync(join(tmpdir(), 'daybook-vault-'))
  return {
    open: async () => openVault(join(shared, 'vault.sqlite')),
    remove: async () => rmSync(shared, { recursive: true }),
  }
})

let folder: string
let here: Vault
let elsewhere: Vault

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-vault-'))
  // As in two processes: each has its own cache of one file.
  here = openVault(join(folder, 'vault.sqlite'))
  elsewhere = openVault(join(folder, 'vault.sqlite'))
})

afterEach(async () => {
  vi.useRealTimers()
  await here.close()
  await elsewhere.close()
  rmSync(folder, { recursive: true })
})

describe('two vaults on one file', () => {
  test('given a look in the same turn of the loop, when another erases a tick later, then the next look sees it', async () => {
    const person = await here.personFor('4741234567')
    const sealed = here.seal(person, 'Kari Nordmann')
    await nextTurn()
    expect(here.unseal(person, sealed)).toBe('Kari Nordmann')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    await elsewhere.shred(person)
    expect(here.unseal(person, sealed)).toBeUndefined()
  })
})

const namesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `customer-${n}`)

/** Number of transactions, from the counter in the file's header. */
const transactions = (): number => readFileSync(join(folder, 'vault.sqlite')).readUInt32BE(24)

describe('people not named before', () => {
  test('given many who are named at once, twice each, in two vaults on one file, then they share transactions and each has one id', async () => {
    const names = namesOf(200)
    const before = transactions()
    const named = [here, here, elsewhere, elsewhere].map((vault) =>
      Promise.all(names.map((name) => vault.personFor(name))),
    )
    const [ids = [], ...again] = await Promise.all(named)
    expect(new Set(ids).size).toBe(names.length)
    for (const others of again) expect(others).toEqual(ids)
    expect(transactions() - before).toBeLessThanOrEqual(10)
    for (const vault of [here, elsewhere]) {
      expect(names.map(vault.findPerson)).toEqual(ids)
      expect(ids.every(vault.hasPerson)).toBe(true)
    }
  })

  test('given a vault that is closed while some wait, then all of them are in it', async () => {
    const names = namesOf(700)
    const vault = openVault(join(folder, 'vault.sqlite'))
    const named = Promise.all(names.map((name) => vault.personFor(name)))
    await vault.close()
    expect(names.map(here.findPerson)).toEqual(await named)
  })

  test('given somebody who waits, when others are erased, then they come and the others are forgotten', async () => {
    const erased = await here.personFor('4741234567')
    const waiting = here.personFor('4747654321')
    const again = here.personFor('4741234567')
    await here.shred(erased)
    expect(here.findPerson('4741234567')).toBeUndefined()
    expect(await again).toBe(erased)
    const person = await waiting
    expect(here.unseal(person, here.seal(person, 'Kari'))).toBe('Kari')
    const anew = await here.personFor('4741234567')
    expect(anew).not.toBe(erased)
    expect(here.hasPerson(erased)).toBe(false)
    expect(elsewhere.findPerson('4741234567')).toBe(anew)
  })

  test('given a group of whom the file does not take one, then none is in it or remembered, and all can be named again', async () => {
    const other = new Database(join(folder, 'vault.sqlite'))
    const refusal = "SELECT RAISE(ABORT, 'no room')"
    other.exec(
      `CREATE TRIGGER full BEFORE INSERT ON people WHEN NEW.id = 'b' BEGIN ${refusal}; END`,
    )
    const [first, last] = ['4741234567', '4747654321']
    const group = [here.personFor(first, 'a'), here.personFor(last, 'b')]
    for (const waiting of group) await expect(waiting).rejects.toThrow(StoreUnavailable)
    for (const vault of [here, elsewhere])
      expect([first, last].map(vault.findPerson)).toEqual([undefined, undefined])
    expect(here.hasPerson('a')).toBe(false)
    other.exec('DROP TRIGGER full')
    other.close()
    expect(await here.personFor(first, 'a')).toBe('a')
    expect(await here.personFor(last, 'b')).toBe('b')
  })
})

describe('another process that holds the file', () => {
  let other: Database.Database

  beforeEach(() => {
    other = new Database(join(folder, 'vault.sqlite'))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => other.close())

  test('delays nobody known, and adds people named meanwhile once the lock is released', async () => {
    const known = await here.personFor('4741234567')
    other.exec('BEGIN IMMEDIATE')
    let isIn = false
    const waiting = here.personFor('4747654321')
    void waiting.then(() => (isIn = true))
    for (let turn = 0; turn < 20; turn++) {
      vi.advanceTimersByTime(10)
      await nextTurn()
    }
    expect(await here.personFor('4741234567')).toBe(known)
    expect(isIn).toBe(false)
    other.exec('COMMIT')
    vi.advanceTimersByTime(10)
    expect(elsewhere.findPerson('4747654321')).toBe(await waiting)
  })

  test('and blocks readers makes the store unavailable to all, known or not', async () => {
    const known = await here.personFor('4741234567')
    expect(here.findPerson('4741234567')).toBe(known)
    await nextTurn()
    other.exec('BEGIN EXCLUSIVE')
    for (const ask of [here.findPerson, here.findPerson])
      expect(() => ask('4741234567')).toThrow(StoreUnavailable)
    other.exec('COMMIT')
    await nextTurn()
    expect(here.findPerson('4741234567')).toBe(known)
  })

  test('for five seconds makes the store unavailable to who is new; they are in it once they are named again', async () => {
    other.exec('BEGIN IMMEDIATE')
    const waiting = here.personFor('4747654321')
    const late = expect(waiting).rejects.toThrow(
      new StoreUnavailable('another process holds the vault'),
    )
    await nextTurn()
    vi.advanceTimersByTime(5_010)
    await late
    other.exec('COMMIT')
    expect(here.findPerson('4747654321')).toBeUndefined()
    expect(await here.personFor('4747654321')).toBe(elsewhere.findPerson('4747654321'))
  })

  test('lets ten thousand wait and sends away who is named after them', async () => {
    other.exec('BEGIN IMMEDIATE')
    const waiting = Promise.allSettled(namesOf(10_000).map((name) => here.personFor(name)))
    await expect(here.personFor('one more')).rejects.toThrow(
      new StoreUnavailable('too many people are waiting for the vault'),
    )
    await nextTurn()
    vi.advanceTimersByTime(5_010)
    expect((await waiting).every(({ status }) => status === 'rejected')).toBe(true)
    other.exec('COMMIT')
    expect(await here.personFor('one more')).toBe(elsewhere.findPerson('one more'))
  })
})

test('given the contents of many files, when they are sealed and read, then none stays in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const person = await here.personFor('4741234567')
  const before = used()
  const length = 500_000
  for (let file = 0; file < 60; file++) {
    const sealed = here.seal(person, String.fromCharCode(65 + file).repeat(length))
    expect(here.unseal(person, sealed)).toHaveLength(length)
  }
  expect(used() - before).toBeLessThan(10 * length)
})
