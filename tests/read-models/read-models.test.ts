import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { noStream, start, type Position } from '../../application/event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { runReadModels } from '../../infrastructure/read-models/read-models.ts'
import { clockAdvanced } from '../event-store/appends.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-read-models-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('given a store that does not answer, the progress is told all the same, as last known', async () => {
  const silent = openSqliteEventStore(join(folder, 'silent.sqlite'))
  const { position } = await silent.append('one', [clockAdvanced(1)], noStream)
  let hear = () => {}
  const heard = new Promise<void>((resolve) => (hear = resolve))
  const readModels = runReadModels({
    store: { ...silent, head: () => new Promise(() => {}) },
    startFolding: () => ({ hurry: () => {}, stop: async () => {} }),
    from: start,
    onEvents: hear,
    onFolded: () => {},
    onFailure: (error) => {
      throw error
    },
    lookMs: 1,
  })
  await heard
  expect(await readModels.progress()).toEqual({ position: start, head: position, isStoreUp: false })
  await readModels.stop()
  await silent.close()
})

test('what has happened is told of once it can be read, all that came by meanwhile at once', async () => {
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  let move = (_: Position): void => {}
  let heard = start
  let onHeard = (): void => {}
  const told: string[][] = []
  const readModels = runReadModels({
    store,
    startFolding: ({ onMoved }) => {
      move = onMoved
      return { hurry: () => {}, stop: async () => {} }
    },
    from: start,
    onEvents: (events) => {
      heard = events.at(-1)?.position ?? heard
      onHeard()
    },
    onFolded: (streams) => told.push([...streams]),
    onFailure: (error) => {
      throw error
    },
  })
  const append = async (stream: string): Promise<void> => {
    const { position } = await store.append(stream, [clockAdvanced(1)], noStream)
    while (heard < position) await new Promise<void>((resolve) => (onHeard = resolve))
    await nextTurn()
  }
  await append('one')
  await append('two')
  await append('three')
  expect(told).toEqual([])
  move(1)
  await nextTurn()
  expect(told).toEqual([['one']])
  move(2)
  await nextTurn()
  expect(told).toEqual([['one']])
  move(3)
  await nextTurn()
  expect(told).toEqual([['one'], ['two', 'three']])
  await append('four')
  move(4)
  await nextTurn()
  expect(told.slice(2)).toEqual([['four']])
  await readModels.stop()
  await store.close()
})
