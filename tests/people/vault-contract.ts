import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Vault } from '../../infrastructure/people/vault-port.ts'

/** Where a vault is kept: opened twice, it is one vault shared by two nodes. */
export type VaultPlace = {
  open(): Promise<Vault>
  remove(): Promise<void>
}

/** Waits until acknowledged writes are visible to all vaults in a later turn. */
const settled = async (...vaults: readonly Vault[]): Promise<void> => {
  await nextTurn()
  await Promise.all(vaults.map((vault) => vault.caughtUp()))
}

const phone = '4741234567'
const other = '4747654321'

/**
 * What every vault must do for the nodes that share it.
 * Long because it is the list of the cases.
 */
export const vaultContract = (name: string, makePlace: () => VaultPlace): void => {
  describe(`${name} as a vault that two nodes share`, () => {
    let place: VaultPlace
    let here: Vault
    let elsewhere: Vault

    beforeEach(async () => {
      place = makePlace()
      here = await place.open()
      elsewhere = await place.open()
    })

    afterEach(async () => {
      await here.close()
      await elsewhere.close()
      await place.remove()
    })

    test('given a name that one seals, then the other seals it equally and reads it', async () => {
      const person = await here.personFor(phone)
      const sealed = here.seal(person, 'Kari Nordmann')
      expect(await elsewhere.personFor(phone)).toBe(person)
      expect(elsewhere.seal(person, 'Kari Nordmann')).toBe(sealed)
      expect(elsewhere.unseal(person, sealed)).toBe('Kari Nordmann')
      expect(sealed).not.toContain('Kari')
    })

    test('given somebody new whom both name at once, then they agree on one person', async () => {
      const both = [here.nameFor('shop', phone), elsewhere.nameFor('shop', phone)]
      const [first, second] = await Promise.all(both)
      expect(second).toBe(first)
      await settled(here, elsewhere)
      for (const vault of [here, elsewhere]) {
        expect(vault.findPerson(phone)).toBe(first)
        expect(vault.findNamed('shop', phone)).toBe(first)
        expect(vault.findNamedAmong('shop', ['nobody', phone])).toEqual([first])
        expect(vault.findNamedAmong('another', [phone])).toEqual([])
        expect(vault.findNamed('another', phone)).toBeUndefined()
      }
    })

    test('given somebody both remember, when one erases them, neither knows them', async () => {
      const person = await here.nameFor('shop', phone)
      const sealed = here.seal(person, 'Kari Nordmann')
      await settled(elsewhere)
      expect(elsewhere.findNamed('shop', phone)).toBe(person)
      for (const vault of [here, elsewhere]) {
        expect(vault.findPerson(phone)).toBe(person)
        expect(vault.unseal(person, sealed)).toBe('Kari Nordmann')
      }
      await elsewhere.shred(person)
      await settled(here, elsewhere)
      for (const vault of [here, elsewhere]) {
        expect(vault.findPerson(phone)).toBeUndefined()
        expect(vault.findNamed('shop', phone)).toBeUndefined()
        expect(vault.hasPerson(person)).toBe(false)
        expect(vault.unseal(person, sealed)).toBeUndefined()
        expect(() => vault.seal(person, 'Kari Nordmann')).toThrow('no key of this person')
      }
    })

    test('given an erased person, when the number comes again, it is somebody new', async () => {
      const before = await here.personFor(phone)
      const sealed = here.seal(before, 'Kari Nordmann')
      await here.shred(before)
      await settled(here, elsewhere)
      const after = await elsewhere.personFor(phone)
      expect(after).not.toBe(before)
      expect(elsewhere.unseal(after, sealed)).toBeUndefined()
    })

    test('given a number that is released, then its next holder is another person', async () => {
      const before = await here.nameFor('shop', phone)
      const sealed = here.seal(before, 'Kari Nordmann')
      await here.release(before)
      await settled(here, elsewhere)
      expect(elsewhere.findPerson(phone)).toBeUndefined()
      expect(elsewhere.findNamed('shop', phone)).toBeUndefined()
      expect(await elsewhere.personFor(phone)).not.toBe(before)
      expect(elsewhere.unseal(before, sealed)).toBe('Kari Nordmann')
    })

    test('given a person with another number, then all find them by that one alone', async () => {
      const person = await here.nameFor('shop', phone)
      await elsewhere.rename(person, other)
      await settled(here, elsewhere)
      for (const vault of [here, elsewhere]) {
        expect(vault.findPerson(other)).toBe(person)
        expect(vault.findPerson(phone)).toBeUndefined()
        expect(vault.findNamed('shop', phone)).toBeUndefined()
      }
    })

    test('gives both the same name and secrets, and keeps the first under a name', async () => {
      expect(elsewhere.name).toBe(here.name)
      expect(elsewhere.secret('codes')).toEqual(here.secret('codes'))
      await here.addSecret('key:2', Buffer.from('second'))
      await elsewhere.addSecret('key:1', Buffer.from('first'))
      await here.addSecret('key:1', Buffer.from('too late'))
      await settled(here, elsewhere)
      for (const vault of [here, elsewhere])
        expect(vault.secrets('key:').map(({ name, secret }) => [name, String(secret)])).toEqual([
          ['key:1', 'first'],
          ['key:2', 'second'],
        ])
    })

    test('given a node that ends while people wait, then the next one knows them all', async () => {
      const ending = await place.open()
      const named = Promise.all([phone, other].map((number) => ending.personFor(number)))
      await ending.close()
      const begun = await place.open()
      expect([phone, other].map(begun.findPerson)).toEqual(await named)
      expect(begun.name).toBe(here.name)
      await begun.close()
    })
  })
}
