import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { noStream, start, type Position } from '../../application/event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import type { Listeners } from '../../infrastructure/read-models/folding.ts'
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
    startFolding: () => ({ hurry: () => {}, goFirst: () => {}, stop: async () => {} }),
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
      return { hurry: () => {}, goFirst: () => {}, stop: async () => {} }
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

test('given a reader who waits for longer than usual, then folding is to go before all else', async () => {
  const store = openSqliteEventStore(join(folder, 'patience.sqlite'))
  const { position } = await store.append('one', [clockAdvanced(1)], noStream)
  const readModels = runReadModels({
    store,
    startFolding: ({ onMoved }) => ({
      hurry: () => {},
      goFirst: () => onMoved(position),
      stop: async () => {},
    }),
    from: start,
    onEvents: () => {},
    onFolded: () => {},
    onFailure: (error) => {
      throw error
    },
    patienceMs: 1,
  })
  await readModels.caughtUp()
  expect(readModels.position()).toBe(position)
  await readModels.stop()
  await store.close()
})

describe('room for more events', () => {
  /** Read models that may be two events behind, and are moved and fail by hand. */
  const opened = async (name: string, eventsBefore = 0) => {
    const store = openSqliteEventStore(join(folder, `${name}.sqlite`))
    const append = (stream: string, count: number) =>
      store.append(stream, Array.from({ length: count }, clockAdvanced), noStream)
    if (eventsBefore > 0) await append('before', eventsBefore)
    let fold: Listeners | undefined
    let onHeard = (): void => {}
    let heard = eventsBefore
    const readModels = runReadModels({
      store,
      startFolding: (listeners) => {
        fold = listeners
        return { hurry: () => {}, goFirst: () => {}, stop: async () => {} }
      },
      from: await store.head(),
      onEvents: (events) => {
        heard += events.length
        onHeard()
      },
      onFolded: () => {},
      onFailure: () => {},
      largestBacklog: 2,
    })
    onTestFinished(async () => {
      await readModels.stop()
      await store.close()
    })
    return {
      readModels,
      moveTo: (position: Position) => fold?.onMoved(position),
      fail: () => fold?.onFailure(new Error('no room on the disk')),
      /** Appends so many, and waits until they are heard of. */
      append: async (stream: string, count = 1): Promise<void> => {
        const { position } = await append(stream, count)
        while (heard < position) await new Promise<void>((resolve) => (onHeard = resolve))
      },
    }
  }

  test('given as many to be folded as may be, then there is room', async () => {
    const { readModels, append } = await opened('near')
    await append('one', 2)
    expect(readModels.room()).toBeUndefined()
  })

  test('given more, then there is none until so many are folded that they are not too many any more', async () => {
    const { readModels, append, moveTo } = await opened('behind')
    await append('one')
    await append('two')
    await append('three')
    await append('four')
    const positions: Position[] = []
    void readModels.room()?.then(() => positions.push(readModels.position()))
    moveTo(1)
    await nextTurn()
    expect(positions).toEqual([])
    moveTo(2)
    await nextTurn()
    expect(positions).toEqual([2])
    expect(readModels.room()).toBeUndefined()
  })

  test('given what was folded before it was heard of, then that takes no room', async () => {
    const { readModels, append, moveTo } = await opened('ahead')
    moveTo(3)
    await append('one', 3)
    expect(readModels.room()).toBeUndefined()
    await append('two', 2)
    expect(readModels.room()).toBeUndefined()
    await append('three')
    expect(readModels.room()).toBeInstanceOf(Promise)
  })

  test('given read models that have still to fold what was there before, then nobody is kept from adding', async () => {
    const { readModels, append, moveTo } = await opened('old', 5)
    moveTo(4)
    await append('one', 3)
    expect(readModels.room()).toBeUndefined()
    moveTo(5)
    expect(readModels.room()).toBeInstanceOf(Promise)
  })

  test('given read models that cannot be folded, then nobody is kept from adding until they can', async () => {
    const { readModels, append, moveTo, fail } = await opened('failing')
    await append('one', 3)
    await append('two', 3)
    fail()
    expect(readModels.room()).toBeUndefined()
    moveTo(3)
    expect(readModels.room()).toBeInstanceOf(Promise)
  })
})
