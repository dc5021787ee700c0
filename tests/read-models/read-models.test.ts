import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import {
  DamagedEvent,
  noStream,
  start,
  StoreUnavailable,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { countLag } from '../../infrastructure/read-models/read-models.ts'
import { runReadModels } from '../../infrastructure/read-models/read-models.ts'
import { clockAdvanced } from '../event-store/appends.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-read-models-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('given a store that does not answer, the last known progress is reported', async () => {
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
  expect(await readModels.progress()).toEqual({
    ...{ position: start, head: position, isStoreUp: false },
    ...{ behind: 1, damagedAt: undefined },
  })
  await readModels.stop()
  await silent.close()
})

test('changes are announced once they can be read, several at a time', async () => {
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

test('given read models that stay behind, a reader is refused, a later one answered', async () => {
  const store = openSqliteEventStore(join(folder, 'behind.sqlite'))
  let move = (_: Position): void => {}
  let hurried = 0
  const readModels = runReadModels({
    store,
    startFolding: ({ onMoved }) => {
      move = onMoved
      return { hurry: () => hurried++, stop: async () => {} }
    },
    from: start,
    onEvents: () => {},
    onFolded: () => {},
    onFailure: (error) => {
      throw error
    },
    waitMs: 1,
  })
  await store.append('one', [clockAdvanced(1)], noStream)
  const { position } = await store.append('two', [clockAdvanced(1)], noStream)
  const refused = readModels.caughtUp()
  await expect(refused).rejects.toThrow(StoreUnavailable)
  await expect(refused).rejects.toThrow('the read models are still catching up with the log')
  expect(hurried).toBe(1)
  move(position - 1)
  // Nobody waits any more, so nothing needs to be hurried.
  expect(hurried).toBe(1)
  move(position)
  await expect(readModels.caughtUp()).resolves.toBeUndefined()
  await readModels.stop()
  await store.close()
})

test('folding is not hurried for a background reader, and damage reaches it', async () => {
  const store = openSqliteEventStore(join(folder, 'patient.sqlite'))
  let move = (_: Position): void => {}
  let fail = (_: unknown): void => {}
  let hurried = 0
  const readModels = runReadModels({
    store,
    startFolding: ({ onMoved, onFailure }) => {
      move = onMoved
      fail = onFailure
      return { hurry: () => hurried++, stop: async () => {} }
    },
    from: start,
    onEvents: () => {},
    onFolded: () => {},
    onFailure: () => {},
  })
  const { position } = await store.append('one', [clockAdvanced(1)], noStream)
  const reading = readModels.caughtUpInBackground()
  await nextTurn()
  move(position)
  await reading
  expect(hurried).toBe(0)
  await store.append('two', [clockAdvanced(1)], noStream)
  const refused = expect(readModels.caughtUpInBackground()).rejects.toThrow(DamagedEvent)
  await nextTurn()
  fail(new DamagedEvent({ stream: 'two', revision: 0, position: 2 }, 'it is not JSON'))
  await refused
  await readModels.stop()
  await store.close()
})

test('the lag is a number of events, though positions are bytes', () => {
  let folded = 0
  const { observe, moved, behind } = countLag(600_000, () => folded)
  const at = (...positions: number[]) =>
    positions.map((position) => ({ position }) as RecordedEvent)
  const lags = [behind(0)]
  folded = 500
  lags.push(behind(300_000))
  folded = 1_000
  lags.push(behind(600_000))
  observe(at(600_700, 609_824))
  observe(at(611_000))
  lags.push(behind(600_000))
  moved(609_824)
  lags.push(behind(609_824))
  moved(611_000)
  lags.push(behind(611_000))
  expect(lags).toEqual([600_000, 500, 0, 3, 1, 0])
})
