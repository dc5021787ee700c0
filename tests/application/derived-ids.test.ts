import fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { noStream } from '../../application/event-store.ts'
import { openCore } from '../../service/core.ts'
import { deriveIds, makeDigest } from '../../infrastructure/event-store/event-entry.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const key = Buffer.alloc(32, 7).toString('base64')

const clustered = (purpose: string) => deriveIds(makeDigest(key), 'clustered', purpose)

const scattered = (purpose: string) => deriveIds(makeDigest(key), 'scattered', purpose)

const order = ['sandbox', 'till-1', 'order-1017'] as const

// Computed with OpenSSL's HMAC of the JSON of purpose and parts: ids in existing logs must never
// change.
const ofThatOrder = {
  scattered: 'f3c6f86b844bfb41bd98005d2bdbbbec',
  clustered: '9b3c696b844bfb41bd98005d2bdbbbec',
  clusteredForPermissions: 'b06a38deefcf8f9a811a414b9f93a3e4',
}

const place = (id: string): string => id.slice(0, 6)

const ownPart = (id: string): string => id.slice(6)

describe('the id of what a POS numbers', () => {
  test('never changes, in whatever order ids are derived', () => {
    expect(clustered('tid')(...order)).toBe(ofThatOrder.clustered)
    expect(clustered('rid')(...order)).toBe(ofThatOrder.clusteredForPermissions)
    const tidOf = clustered('tid')
    tidOf('sandbox', 'till-1', 'order-1018')
    tidOf('sandbox', 'till-1', 'order-1117')
    expect([tidOf(...order), tidOf(...order)]).toEqual([
      ofThatOrder.clustered,
      ofThatOrder.clustered,
    ])
  })

  test('begins alike for a hundred numbers in a row, and is otherwise of its own', () => {
    const ids = Array.from({ length: 200 }, (_, at) =>
      clustered('tid')('sandbox', 'till-1', `order-${1000 + at}`),
    )
    expect(new Set(ids.map(place)).size).toBe(2)
    expect(new Set(ids.slice(0, 100).map(place)).size).toBe(1)
    expect(new Set(ids.map(ownPart)).size).toBe(200)
  })

  test('begins otherwise for another merchant, POS or purpose, and under another key', () => {
    const others = [
      clustered('tid')(...order),
      clustered('tid')('other', 'till-1', 'order-1017'),
      clustered('tid')('sandbox', 'till-2', 'order-1017'),
      clustered('rid')(...order),
      deriveIds(makeDigest(Buffer.alloc(32, 8).toString('base64')), 'clustered', 'tid')(...order),
    ]
    expect(new Set(others.map(place)).size).toBe(others.length)
    expect(new Set(others.map(ownPart)).size).toBe(others.length)
  })

  test('is that of nothing else, whatever the names and whether it is remembered', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '"', ','), maxLength: 4 })
    const named = fc.tuple(name, name, name)
    const tidOf = clustered('tid')
    fc.assert(
      fc.property(named, named, (one, other) => {
        const isSame = one.every((part, at) => part === other[at])
        expect(tidOf(...one) === tidOf(...other)).toBe(isSame)
        expect(tidOf(...one)).toBe(clustered('tid')(...one))
        expect(tidOf(...one)).toMatch(/^[0-9a-f]{32}$/)
      }),
    )
  })

  test('has no place in the first way of making ids', () => {
    expect(scattered('tid')(...order)).toBe(ofThatOrder.scattered)
  })
})

describe('ids of a log', () => {
  const folders: string[] = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })
  const newSettings = () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-'))
    folders.push(folder)
    return readSettings({ DATA_DIR: folder, LOG_LEVEL: 'silent' })
  }
  const tidIn = async (settings: ReturnType<typeof newSettings>) => {
    const core = await openCore(settings, makeLog('silent'))
    try {
      return core.tidOf(...order)
    } finally {
      await core.close()
    }
  }

  test('given one that began with scattered ids, then it goes on with them', async () => {
    const settings = newSettings()
    const store = openSqliteEventStore(join(settings.DATA_DIR, 'events.sqlite'))
    const metadata = { at: 1, merchant: null, actor: 'daybook', correlationId: 'c' }
    await store.append(
      'installation-daybook',
      [
        {
          id: 'a2c4e6f8-1b3d-4f5a-8c7e-9d0b1a2c3e4f',
          type: 'InstallationMade',
          data: { key },
          metadata: { ...metadata, causationId: null, schema: 1 },
        },
      ],
      noStream,
    )
    await store.close()
    expect(await tidIn(settings)).toBe(ofThatOrder.scattered)
    expect(await tidIn(settings)).toBe(ofThatOrder.scattered)
  })

  test('given a new one, then its ids are clustered, also when it is opened again', async () => {
    const settings = newSettings()
    const tid = await tidIn(settings)
    const store = openSqliteEventStore(join(settings.DATA_DIR, 'events.sqlite'))
    const [made] = await store.readStream('installation-daybook', 0, 1)
    await store.close()
    const digest = makeDigest((made?.data as { key: string }).key)
    expect(tid).toBe(deriveIds(digest, 'clustered', 'tid')(...order))
    expect(await tidIn(settings)).toBe(tid)
  })
})
