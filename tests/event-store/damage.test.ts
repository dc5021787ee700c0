// @module-tag long
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import {
  DamagedEvent,
  StoreUnavailable,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { UnusableLog } from '../../infrastructure/event-store/sqlite-event-file.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import Database from '../../infrastructure/sqlite.ts'
import { collect } from './appends.ts'
import { captured, change, copied, freshFile, open, streams, write, written } from './files.ts'

describe('given a file in which one digit of an amount was changed', () => {
  const damagedFile = async (): Promise<string> => {
    const file = await written()
    // Revision 1 of boots.
    change(file, '770005', '970005')
    return file
  }
  const told =
    'event 5, revision 1 of boots, is damaged: what the file holds is not what was appended'

  test('then its stream is refused by name, and others are read', async () => {
    const store = open(await damagedFile())
    await expect(store.readStream('boots')).rejects.toThrow(
      new DamagedEvent(
        { stream: 'boots', revision: 1, position: 5 },
        told.slice(told.indexOf('what')),
      ),
    )
    await expect(store.readStream('boots')).rejects.toThrow(told)
    expect(await store.readStream('boots', 2)).toHaveLength(2)
    expect(await store.readStream('skis')).toHaveLength(4)
    expect(await store.append('skis', [captured(99)], 3)).toMatchObject({ revision: 4 })
  })

  test.each(['readAll', 'follow'] as const)(
    'then %s gives what is before it, and stops there',
    async (how) => {
      const store = open(await damagedFile())
      const read: number[] = []
      const reading = async (): Promise<void> => {
        for await (const batch of store[how](0, AbortSignal.timeout(60_000)))
          read.push(...batch.map(({ position }) => position))
      }
      await expect(reading()).rejects.toThrow(told)
      expect(read).toEqual([1, 2, 3, 4])
    },
  )
})

test.each([
  ['the stream', "UPDATE streams SET name = 'ski' WHERE name = 'skis'", 'ski'],
  ['the revision', 'UPDATE events SET revision = 9 WHERE position = 10', 'skis'],
  [
    'the id',
    "UPDATE events SET id = x'00000000000040008000000000000099' WHERE position = 4",
    'skis',
  ],
  ['the type', "UPDATE events SET type = 'Refunded' WHERE position = 4", 'skis'],
  [
    'the metadata',
    `UPDATE events SET metadata = '{"actor":"user:eve"}' WHERE position = 4`,
    'skis',
  ],
  [
    'the kind of the data',
    'UPDATE events SET data = CAST(data AS BLOB) WHERE position = 4',
    'skis',
  ],
  ['the checksum', "UPDATE events SET checksum = '' WHERE position = 4", 'skis'],
  ['an event in between', 'DELETE FROM events WHERE position = 4', 'skis'],
])('given a file in which somebody changed %s, then it is refused', async (_, sql, stream) => {
  const file = await written()
  const database = new Database(file)
  const triggers = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .pluck()
    .all() as string[]
  for (const name of triggers) database.exec(`DROP TRIGGER ${name}`)
  database.exec(sql)
  database.close()
  const store = open(file)
  await expect(store.readStream(stream)).rejects.toThrow(DamagedEvent)
  await expect(collect(store.readAll(0))).rejects.toThrow(DamagedEvent)
})

/** Every read of a file; undefined if one of them is refused. */
const readings = async (file: string) => {
  let store: ReturnType<typeof openSqliteEventStore> | undefined
  try {
    store = openSqliteEventStore(file)
    const all = await collect(store.readAll(0))
    const read: RecordedEvent[][] = [all]
    for (const stream of streams) read.push([...(await store.readStream(stream))])
    return { read, damage: store.log.damage() }
  } catch (error) {
    const isTold =
      error instanceof DamagedEvent ||
      error instanceof StoreUnavailable ||
      error instanceof UnusableLog ||
      error instanceof Database.SqliteError
    if (!isTold) throw error
    return undefined
  } finally {
    await store?.close().catch(() => {})
  }
}

describe('given one wrong bit anywhere', () => {
  test.each([
    ['in the file', ''],
    ['in the write-ahead log', '-wal'],
  ])('%s, then what is read is what was written, or it is told', async (_, part) => {
    const original = freshFile()
    const store = await write(original)
    const parts = ['', '-wal', '-head']
    // As left by a kill, and by a regular stop.
    const source = part === '-wal' ? copied(original, parts) : original
    await store.close()
    const sound = await readings(copied(source, parts))
    expect(sound?.read[0]).toHaveLength(12)
    const size = readFileSync(source + part).length
    let told = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(size - 1), fc.nat(7), async (at, bit) => {
        const file = copied(source, parts)
        const bytes = readFileSync(file + part)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
        writeFileSync(file + part, bytes)
        const found = await readings(file)
        if (!found || found.damage.length > 0) told += 1
        else expect(found.read).toEqual(sound?.read)
      }),
      { numRuns: 150 },
    )
    expect(told).toBeGreaterThan(0)
  })
})
