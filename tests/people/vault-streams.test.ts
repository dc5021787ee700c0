// @module-tag long
// Long because it lists what is in the database, and who may write there.
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Vault } from '../../infrastructure/people/vault-port.ts'
import { usedInStream } from '../../infrastructure/vault-streams/used-once.ts'
import { vaultContract } from './vault-contract.ts'
import { newKey, openPlace } from './vault-in-streams.ts'

vaultContract('streams', () => {
  const place = openPlace()
  return {
    open: async () => (await place).open(),
    remove: async () => (await place).remove(),
  }
})

let place: Awaited<ReturnType<typeof openPlace>>
let here: Vault
let elsewhere: Vault
let client: EventStoreDBClient

beforeEach(async () => {
  place = await openPlace()
  here = await place.open()
  elsewhere = await place.open()
  client = EventStoreDBClient.connectionString(place.url)
})

afterEach(async () => {
  await client.dispose()
  await here.close()
  await elsewhere.close()
  await place.remove()
})

type Stored = { readonly stream: string; readonly type: string; readonly data: unknown }

/** Everything in the database, including the node's own streams. */
const stored = async (): Promise<readonly Stored[]> => {
  const found: Stored[] = []
  for await (const { event } of client.readAll())
    if (event) found.push({ stream: event.streamId, type: event.type, data: event.data })
  return found
}

type Keys = Readonly<Record<string, string>>

/** The keys left after scavenging. */
const keysLeft = async (): Promise<readonly string[]> => {
  const newest = new Map(
    (await stored())
      .filter(({ type }) => type === 'KeysKept')
      .map(({ stream, data }) => [stream, (data as { readonly keys: Keys }).keys]),
  )
  return [...newest.values()].flatMap((keys) => Object.keys(keys)).sort()
}

const phones = (count: number, from = 4_740_000_000): readonly string[] =>
  Array.from({ length: count }, (_, n) => String(from + n))

describe('in the database', () => {
  test('given an erased person, then no key is left, in pages that keep one event', async () => {
    const [kari = '', ola = ''] = await Promise.all(
      ['Kari', 'Ola'].map((name) => here.personFor(name)),
    )
    expect(await keysLeft()).toEqual([kari, ola].sort())
    await elsewhere.shred(kari)
    expect(await keysLeft()).toEqual([ola])
    // The node that wrote the page writes another one from now on.
    const per = await here.personFor('Per')
    expect(await keysLeft()).toEqual([ola, per].sort())
    const pages = new Set(
      (await stored()).flatMap(({ stream }) => (/-keys-/.test(stream) ? stream : [])),
    )
    expect([...pages].filter((stream) => stream.startsWith('$$'))).toHaveLength(2)
    for (const page of [...pages].filter((stream) => !stream.startsWith('$')))
      expect((await client.getStreamMetadata(page)).metadata).toEqual({ maxCount: 1 })
  })

  test('given keys that an erasure left, when a node begins, then it removes them', async () => {
    const kari = await here.personFor('Kari')
    const { streams, close } = place.connect()
    onTestFinished(close)
    const journal = await streams.readStream('daybook_vault-journal')
    const erased = { type: 'PersonErased', data: { person: kari }, metadata: {} }
    const id = '00000000-0000-4000-8000-000000000001'
    await streams.append('daybook_vault-journal', [{ ...erased, id }], journal.length - 1)
    expect(await keysLeft()).toEqual([kari])
    const begun = await place.open()
    expect(begun.hasPerson(kari)).toBe(false)
    await begun.close()
    expect(await keysLeft()).toEqual([])
  })

  test('given a page that somebody puts back, then who was erased stays erased', async () => {
    const kari = await here.personFor('Kari')
    const page = (await stored()).find(({ type }) => type === 'KeysKept')
    await here.shred(kari)
    expect(await keysLeft()).toEqual([])
    await client.appendToStream(
      page?.stream ?? '',
      jsonEvent({ type: 'KeysKept', data: page?.data as Keys }),
    )
    expect(await keysLeft()).toEqual([kari])
    const begun = await place.open()
    expect(begun.hasPerson(kari)).toBe(false)
    await begun.close()
    expect(await keysLeft()).toEqual([])
  })

  test('given an entry that somebody has altered, then nobody goes on with it', async () => {
    const person = await here.personFor('Kari')
    const name = randomBytes(64).toString('base64')
    const altered = jsonEvent({ type: 'PersonNamed', data: { person, name } })
    await client.appendToStream('daybook_vault-journal', altered)
    await expect(place.open()).rejects.toThrow('an entry of the vault was altered')
    await expect(elsewhere.caughtUp()).rejects.toThrow('an entry of the vault was altered')
  })

  test('nothing identifies anybody, and nothing is an event of the log', async () => {
    const person = await here.nameFor('shop', '4741234567')
    await here.addSecret('key:1', Buffer.from('a secret that is kept'))
    await here.rename(person, '4747654321')
    const text = JSON.stringify(await stored())
    for (const plain of ['4741234567', '4747654321', 'shop', 'a secret that is kept'])
      for (const form of [plain, Buffer.from(plain).toString('base64').replace(/=+$/, '')])
        expect(text).not.toContain(form)
    const { head, readAll, close } = place.connect()
    onTestFinished(close)
    expect(await head()).toBe(0)
    for await (const batch of readAll(0)) expect(batch).toEqual([])
  })
})

test('given an erased id that comes back, then it has another key', async () => {
  const before = await here.personFor('Kari', 'wanted')
  const sealed = here.seal(before, 'a text')
  await here.shred(before)
  expect(await here.personFor('Kari', 'wanted')).toBe('wanted')
  const begun = await place.open()
  for (const vault of [here, begun]) {
    expect(vault.findPerson('Kari')).toBe('wanted')
    expect(vault.unseal('wanted', sealed)).toBeUndefined()
  }
  await begun.close()
})

test('given many whom two nodes name at once, then each is one person to both', async () => {
  const names = phones(150)
  const all = (vault: Vault) => Promise.all(names.map((name) => vault.nameFor('shop', name)))
  const [first, second] = await Promise.all([all(here), all(elsewhere)])
  expect(second).toEqual(first)
  expect(new Set(first).size).toBe(150)
  const begun = await place.open()
  expect(names.map((name) => begun.findNamed('shop', name))).toEqual(first)
  await begun.close()
})

test('given a number that somebody else has got meanwhile, then a rename fails', async () => {
  const kari = await here.personFor('Kari')
  const ola = await elsewhere.personFor('Ola')
  await expect(here.rename(kari, 'Ola')).rejects.toThrow('somebody else has just taken')
  expect(here.findPerson('Ola')).toBe(ola)
})

test('given another key of the operator, then the old one opens no more', async () => {
  const [first, second] = [newKey('first'), newKey('second')]
  const other = await openPlace([first])
  onTestFinished(other.remove)
  const vault = await other.open()
  const sealed = vault.seal(await vault.personFor('Kari'), 'a text')
  const both = await other.open([second, first])
  const rewrapped = { wrapped_by: 'second', before: 'first', wrapped: 0 }
  expect(await both.rewrap(second)).toEqual(rewrapped)
  await vault.caughtUp()
  expect(vault.wrappedBy()).toBe('second')
  await expect(other.open([first])).rejects.toThrow('the vault is wrapped by key second')
  const next = await other.open([second])
  expect(next.unseal(next.findPerson('Kari') ?? '', sealed)).toBe('a text')
  for (const one of [vault, both, next]) await one.close()
})

test('given what is used on two nodes at once, then it counts once', async () => {
  const open = () => {
    const { streams, close } = place.connect()
    onTestFinished(close)
    return usedInStream(streams, 'key')
  }
  const [one, other] = [open(), open()]
  const uses = [one, other, one].map((used) => used.isFirst('proof', 1_000, 2_000))
  expect((await Promise.all(uses)).filter((isFirst) => isFirst)).toHaveLength(1)
  await one.note('number 1', 5_000, 9_000)
  await other.note('number 1', 3_000, 7_000)
  expect(await other.latest('number 1')).toBe(5_000)
  expect(await open().latest('number 1')).toBe(5_000)
  expect(await other.latest('number 2')).toBeUndefined()
  const { metadata } = await client.getStreamMetadata('daybook_vault-used')
  expect(metadata).toEqual({ maxAge: 86_400 })
})
