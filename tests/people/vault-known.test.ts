// @module-tag long
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Vault } from '../../infrastructure/people/vault-port.ts'
import Database from '../../infrastructure/sqlite.ts'
import { journalEvents } from '../../infrastructure/vault-streams/journal.ts'
import { knownPeople, type KnownPeople } from '../../infrastructure/vault-streams/known-people.ts'
import { vaultContract } from './vault-contract.ts'
import { openPlace } from './vault-in-streams.ts'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'daybook-known-'))

describe.each([
  ['nodes with folders of their own', newFolder],
  ['processes of one folder', (folder: string) => folder],
])('streams, %s:', (name, folderOf) => {
  vaultContract(name, () => {
    const place = openPlace()
    const folders = [newFolder()]
    return {
      open: async () => {
        const folder = folderOf(folders[0] ?? '')
        folders.push(folder)
        return (await place).open(undefined, { folder, remembered: 1 })
      },
      remove: async () => {
        await (await place).remove()
        for (const folder of folders) rmSync(folder, { recursive: true, force: true })
      },
    }
  })
})

let place: Awaited<ReturnType<typeof openPlace>>

let folder: string

let elsewhere: Vault

let opened: Vault[]

beforeEach(async () => {
  place = await openPlace()
  folder = newFolder()
  opened = []
  elsewhere = await place.open()
})

afterEach(async () => {
  for (const vault of [elsewhere, ...opened]) await vault.close()
  await place.remove()
  rmSync(folder, { recursive: true })
})

const begin = async (): Promise<Vault> => {
  const vault = await place.open(undefined, { folder })
  opened.push(vault)
  return vault
}

const end = async (): Promise<void> => {
  for (const vault of opened.splice(0)) await vault.close()
}

const files = (): readonly string[] => readdirSync(folder).map((file) => join(folder, file))

const file = (): string => files().find((one) => one.endsWith('.sqlite')) ?? ''

/** Whether a file in the folder contains a text or bytes. */
const holds = (bytes: string | Buffer): boolean =>
  files().some((one) => readFileSync(one).includes(bytes))

/** A person's key as stored in its page. */
const wrappedKeyOf = async (person: string): Promise<Buffer> => {
  const { streams, close } = place.connect()
  const [added] = (await streams.readStream('daybook_vault-journal')).filter(
    ({ data }) => data['person'] === person,
  )
  const page = await streams.readStream(`daybook_vault-keys-${added?.data['page'] as string}`)
  await close()
  const { [person]: key } = page.at(-1)?.data['keys'] as Readonly<Record<string, string>>
  return Buffer.from(key ?? '', 'base64')
}

const names = Array.from({ length: 200 }, (_, n) => `customer ${n}`)

describe('what a node has read of a vault in streams', () => {
  test('is not read again: neither keys nor more of the journal than has come', async () => {
    const first = await begin()
    const people = await Promise.all(names.map((name) => elsewhere.nameFor('shop', name)))
    await first.caughtUp()
    await end()
    const late = await elsewhere.nameFor('shop', 'late')
    place.read.length = 0
    const again = await begin()
    const journal = 'daybook_vault-journal'
    expect(place.read.filter((stream) => stream === journal)).toHaveLength(2)
    expect(place.read.filter((stream) => stream.includes('-keys-'))).toHaveLength(1)
    expect([...names, 'late'].map((name) => again.findNamed('shop', name))).toEqual([
      ...people,
      late,
    ])
    const [one = ''] = people
    expect(again.seal(one, 'a text')).toBe(elsewhere.seal(one, 'a text'))
    expect(again.secret('codes')).toEqual(elsewhere.secret('codes'))
  })

  test('drops people erased elsewhere, while running and before the next start', async () => {
    const node = await begin()
    const [kari = '', ola = '', per = ''] = await Promise.all(
      ['Kari', 'Ola', 'Per'].map((name) => node.personFor(name)),
    )
    const keys = await Promise.all([kari, ola, per].map(wrappedKeyOf))
    expect(keys.map(holds)).toEqual([true, true, true])
    await elsewhere.shred(kari)
    await node.caughtUp()
    expect([kari, ola].map(node.hasPerson)).toEqual([false, true])
    expect(keys.map(holds)).toEqual([false, true, true])
    await end()
    await elsewhere.shred(ola)
    const again = await begin()
    expect([kari, ola, per].map(again.hasPerson)).toEqual([false, false, true])
    expect(keys.map(holds)).toEqual([false, false, true])
  })

  test('lies there wrapped', async () => {
    const node = await begin()
    await node.nameFor('shop', '4741234567')
    await node.addSecret('key:1', Buffer.from('a secret that is kept'))
    expect(holds('key:1')).toBe(true)
    for (const plain of ['4741234567', 'shop', 'a secret that is kept', node.secret('identifiers')])
      expect(holds(plain)).toBe(false)
  })

  test('is rebuilt if the journal is another one, or the file is damaged', async () => {
    const node = await begin()
    const person = await node.personFor('Kari')
    await end()
    const sqlite = new Database(file())
    sqlite.exec("UPDATE people SET id = 'of another backup'; UPDATE journal SET event = 'another'")
    sqlite.close()
    const restored = await begin()
    expect(restored.findPerson('Kari')).toBe(person)
    expect(holds('of another backup')).toBe(false)
    await end()
    writeFileSync(file(), 'not a database'.repeat(1_000))
    expect((await begin()).findPerson('Kari')).toBe(person)
    await end()
    writeFileSync(`${file()}-damaged`, '')
    expect((await begin()).findPerson('Kari')).toBe(person)
    expect(files().filter((one) => one.endsWith('-damaged'))).toEqual([])
  })

  test('is as new as the newest of two processes that read at once', async () => {
    const [wrapping, key] = [randomBytes(32), randomBytes(32)]
    const events = journalEvents(wrapping)
    const pages = {
      keysIn: async () => ({ kari: events.keyOf('kari', key) }),
      leave: () => {},
    }
    const [before, after] = ['before', 'after'].map((text) => btoa(text)) as [string, string]
    const journal = [events.added('kari', 'page', key, before), events.renamed('kari', key, after)]
    const recorded = journal.map((event, revision) => {
      return { ...event, revision, position: revision, stream: 'journal' }
    })
    const [one, other] = [1, 2].map(() =>
      knownPeople(pages, { wrapping, keyId: 'first' }, join(folder, 'known.sqlite')),
    ) as [KnownPeople, KnownPeople]
    await one.apply(recorded)
    await other.apply(recorded.slice(0, 1))
    for (const known of [one, other]) {
      expect([before, after].map(known.idOf)).toEqual([undefined, 'kari'])
      expect(known.mark()?.revision).toBe(1)
      known.close()
    }
  })

  test('goes when the folder is used with another vault', async () => {
    writeFileSync(join(folder, 'vault-known-0123456789abcdef.sqlite'), '')
    writeFileSync(join(folder, 'vault-known-0123456789abcdef.sqlite-wal'), '')
    await begin()
    await end()
    expect(files()).toEqual([file()])
    expect(file()).not.toContain('0123456789abcdef')
  })
})
