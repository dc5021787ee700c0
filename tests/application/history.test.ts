// @module-tag long
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { historyOf } from '../../application/find-state.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { clockAdvanced } from '../event-store/appends.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-history-'))

const store = openSqliteEventStore(join(folder, 'events.sqlite'))

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const length = 4_500

const events = () => Array.from({ length: 500 }, (_, n) => clockAdvanced(n))

for (let next = 0; next < length; next += 500) await store.append('s', events(), next - 1)

const revisionsOf = async (from?: number, upTo?: number, stream = 's'): Promise<number[]> => {
  const revisions: number[] = []
  for await (const batch of historyOf(store, stream, from, upTo))
    revisions.push(...batch.map(({ revision }) => revision))
  return revisions
}

const range = (from: number, upTo: number) =>
  Array.from({ length: Math.max(0, upTo - from + 1) }, (_, n) => from + n)

test('a history has every event between two revisions once, in order', async () => {
  expect(await revisionsOf()).toEqual(range(0, length - 1))
  for (const from of [0, 1, 999, 1_000, 4_499, 4_500])
    for (const upTo of [0, 999, 1_000, 1_999, 2_000, 4_499, 5_000])
      expect(await revisionsOf(from, upTo)).toEqual(range(from, Math.min(upTo, length - 1)))
})

test('a history ends where it is to, though events of others lie between', async () => {
  const bytes = { type: 'Bytes', data: Buffer.of(1), metadata: null }
  for (let n = 0; n < 6; n++) {
    await store.log.append('mixed', [{ ...bytes, id: randomBytes(16) }], 'any')
    await store.append('mixed', [clockAdvanced(n)], 2 * n)
  }
  expect(await revisionsOf(0, 5, 'mixed')).toEqual([1, 3, 5])
  expect(await revisionsOf(4, 4, 'mixed')).toEqual([])
  expect(await revisionsOf(4, 100, 'mixed')).toEqual([5, 7, 9, 11])
})

test('while a long history is read, others have their turn', async () => {
  let turns = 0
  let isReading = true
  const count = (): void => {
    turns += 1
    if (isReading) setImmediate(count)
  }
  setImmediate(count)
  await revisionsOf()
  isReading = false
  expect(turns).toBeGreaterThanOrEqual(4)
})

test('a missing stream has no history', async () => {
  expect(await revisionsOf(0, 10, 'none')).toEqual([])
})
