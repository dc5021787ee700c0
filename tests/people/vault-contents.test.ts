// @module-tag long
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import {
  differencesOf,
  secretsLacking,
  type KeptPerson,
  type VaultContents,
} from '../../infrastructure/people/vault-port.ts'
import { contentsOfFile } from '../../infrastructure/people/vault-file.ts'
import { isOurs } from '../../infrastructure/stores.ts'
import { contentsOfStreams } from '../../infrastructure/vault-streams/contents.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'

const keys = [{ id: 'first', key: randomBytes(32) }]

type Place = { open(): Promise<VaultContents>; remove(): Promise<void> }

const inFile = async (): Promise<Place> => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-contents-'))
  return {
    open: async () => contentsOfFile(join(folder, 'vault.sqlite'), keys),
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

const inStreams = async (): Promise<Place> => {
  const place = await startProtocolPlace()
  return {
    open: async () => {
      const { streams, close } = connectEventStoreDB(place.url, { isOurs })
      const contents = await contentsOfStreams(streams, keys)
      return { ...contents, close: () => contents.close().then(close) }
    },
    remove: place.remove,
  }
}

const byBase64 = (one: Buffer, other: Buffer): number =>
  one.toString('base64') < other.toString('base64') ? -1 : 1

const person = (id: string, names = 0, changes: Partial<KeptPerson> = {}): KeptPerson => ({
  ...{ id, key: randomBytes(32), identifier: randomBytes(32) },
  names: Array.from({ length: names }, () => randomBytes(32)).toSorted(byBase64),
  ...changes,
})

describe.each([
  ['the file', inFile],
  ['streams', inStreams],
])('what lies in a vault: %s', (_, makePlace) => {
  let place: Place
  let contents: VaultContents

  beforeEach(async () => {
    place = await makePlace()
    contents = await place.open()
    return async () => {
      await contents.close()
      await place.remove()
    }
  })

  /** As known here, and as seen after opening it again. */
  const shown = async (...ids: readonly string[]) => {
    const found = ids.map(contents.person)
    await contents.close()
    contents = await place.open()
    expect(ids.map(contents.person)).toEqual(found)
    return found
  }

  test(
    'people are kept as they are given: keys, identifiers and names',
    { tags: 'long' },
    async () => {
      const [kari, ola, per] = [person('kari', 2), person('ola'), person('per', 600)]
      await contents.put([kari, ola, per])
      expect(await shown('kari', 'ola', 'per', 'nobody')).toEqual([kari, ola, per, undefined])
      expect([...contents.people()].flat().map(({ id }) => id)).toEqual(['kari', 'ola', 'per'])
      expect(contents.count()).toBe(3)
    },
  )

  test('people who are given otherwise are changed, with another key too', async () => {
    const [kari, ola, per] = [person('kari', 2), person('ola', 1), person('per')]
    await contents.put([kari, ola, per])
    const changed = [
      person('kari', 1, { key: kari.key }),
      // With the number that another person had.
      person('ola', 0, { identifier: kari.identifier }),
      person('per', 0, { key: per.key, identifier: undefined }),
    ]
    await contents.put(changed)
    const [newKari, newOla, released] = await shown('kari', 'ola', 'per')
    expect([newKari, newOla]).toEqual(changed.slice(0, 2))
    expect({ ...released, identifier: undefined }).toEqual(changed[2])
    expect(released?.identifier).not.toEqual(per.identifier)
  })

  test('an erased person is gone', async () => {
    const [kari, ola] = [person('kari', 2), person('ola')]
    await contents.put([kari, ola])
    await contents.erase(['kari', 'nobody'])
    expect(await shown('kari', 'ola')).toEqual([undefined, ola])
  })

  test('secrets are stored, and so is the state of the vault', async () => {
    expect([contents.isEmpty(), contents.standing()]).toEqual([true, 'used'])
    const secrets = ['identifiers', 'seed'].map((name) => ({ name, secret: randomBytes(32) }))
    await contents.keepSecrets(secrets)
    await contents.stand('filling')
    await shown()
    expect(contents.secrets()).toEqual(secrets)
    expect([contents.isEmpty(), contents.standing()]).toEqual([false, 'filling'])
    await contents.stand('used')
    expect(contents.standing()).toBe('used')
  })
})

test.each([
  ['the file', inFile],
  ['streams', inStreams],
])('a vault that is thrown away is begun anew: %s', async (_, makePlace) => {
  const place = await makePlace()
  onTestFinished(place.remove)
  const contents = await place.open()
  const secret = { name: 'identifiers', secret: randomBytes(32) }
  await contents.keepSecrets([secret])
  await contents.put([person('kari', 1)])
  await contents.stand('left')
  await contents.discard()
  const begun = await place.open()
  onTestFinished(begun.close)
  expect([begun.isEmpty(), begun.standing(), begun.person('kari')]).toEqual([
    true,
    'used',
    undefined,
  ])
  const kari = person('kari', 2)
  await begun.put([kari])
  expect(begun.person('kari')).toEqual(kari)
})

describe('what differs between two vaults', () => {
  let source: VaultContents
  let target: VaultContents

  beforeEach(async () => {
    const places = await Promise.all([inFile(), inFile()])
    ;[source, target] = (await Promise.all(places.map(({ open }) => open()))) as [
      VaultContents,
      VaultContents,
    ]
    return async () => {
      for (const contents of [source, target]) await contents.close()
      for (const { remove } of places) await remove()
    }
  })

  const differences = () => {
    const all = [...differencesOf({ source, target })]
    const ids = all.flatMap(({ lacking }) => lacking.map(({ id }) => id))
    return [ids, all.flatMap(({ extra }) => extra)]
  }

  test('is who is missing, kept otherwise, or only in the target', async () => {
    const same = person('same', 2)
    const given = ['key', 'identifier', 'names', 'missing'].map((id) => person(id, 1))
    const [key, identifier, names] = given as [KeptPerson, KeptPerson, KeptPerson]
    await source.put([same, ...given])
    await target.put([
      same,
      { ...key, key: randomBytes(32) },
      { ...identifier, identifier: randomBytes(32) },
      { ...names, names: [] },
      person('extra'),
    ])
    expect(differences()).toEqual([['identifier', 'key', 'missing', 'names'], ['extra']])
    await target.put(given)
    await target.erase(['extra'])
    expect(differences()).toEqual([[], []])
  })

  test('is each secret that the target lacks, or has otherwise', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => ({
      ...{ name, secret: randomBytes(32) },
    })) as [any, any, any]
    await source.keepSecrets([one, two, three])
    await target.keepSecrets([one, { ...two, secret: randomBytes(32) }])
    const lacking = secretsLacking({ source, target }).map(({ name }) => name)
    expect(lacking).toEqual(['three', 'two'])
  })
})
