import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../../application/event-store.ts'
import { holdLeases } from '../../application/hold-leases.ts'
import type { Build } from '../../domain/leases.ts'
import { LeaseLost } from '../../application/lease.ts'
import { makeElapsed } from '../../infrastructure/leases/leases.ts'
import { openStoreOfTest } from './store-of-test.ts'

/** A store whose events carry this clock's time. */
const withClock = (clock: () => number): ReturnType<typeof openStoreOfTest> => {
  const store = openStoreOfTest()
  const times: number[] = []
  return {
    ...store,
    append: async (...given) => {
      const appended = await store.append(...given)
      times[appended.revision] = clock()
      return appended
    },
    readStream: async (...given) => {
      const events = await store.readStream(...given)
      return events.map((event) => ({ ...event, recordedAt: times[event.revision] ?? 0 }))
    },
  }
}

/** Nodes that share a store and a clock; the named ones run, the others are frozen. */
const openNodes = () => {
  let now = 0
  let isAway = false
  let ahead = 0
  const store = withClock(() => now + ahead)
  const reach = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    isAway ? Promise.reject(new StoreUnavailable('away')) : ask()
  const start = (node: string, cannot = async (): Promise<string[]> => [], build?: Build) => {
    let changes = 0
    let ownAhead = 0
    const held = holdLeases({
      store: {
        append: (...given) => reach(() => store.append(...given)),
        readStream: (...given) => reach(() => store.readStream(...given)),
      },
      node,
      ...(build && { build }),
      elapsed: () => now + ownAhead,
      newId: randomUUID,
      caughtUp: async () => {},
      cannot,
      onChange: () => (changes += 1),
    })
    return {
      ...held,
      count: () => held.held().filter(held.isOwn).length,
      noted: () => changes,
      /** Its clock is set. */
      set: (by: number) => (ownAhead += by),
    }
  }
  type Node = ReturnType<typeof start>
  /** Advances in steps of half a second, as nodes poll. */
  const pass = async (milliseconds: number, ...looking: readonly Node[]): Promise<void> => {
    for (const end = now + milliseconds; now < end;) {
      now += 500
      for (const { step } of looking) await step().catch(() => {})
      await turn()
    }
  }
  const away = (isIt: boolean) => (isAway = isIt)
  /** The clock of the store is set. */
  const set = (by: number) => (ahead += by)
  return { start, pass, store, away, set }
}

describe('given two nodes that look', () => {
  const openTwo = async () => {
    const nodes = openNodes()
    const [a, b] = [nodes.start('a'), nodes.start('b')]
    await nodes.pass(4_000, a, b)
    return { ...nodes, a, b }
  }

  test('then each does half of all, and nothing is done by both', async () => {
    const { a, b } = await openTwo()
    expect([a.count(), b.count()]).toEqual([9, 9])
    expect(new Set([...a.held(), ...b.held()]).size).toBe(18)
  })

  test('when one dies, then the other does everything within ten seconds', async () => {
    const { a, b, pass } = await openTwo()
    await pass(4_500, a)
    expect(a.count()).toBe(9)
    await pass(5_000, a)
    expect([a.count(), b.count()]).toEqual([18, 0])
  })

  test.each([2_000, 3_500, 5_000, 8_000])(
    'when one dies and the other looks every %i ms only, then it takes over all the same',
    async (every) => {
      const { a, pass } = await openTwo()
      let looks = 0
      for (; a.held().length < 18 && looks < 10; looks++) {
        await pass(every - 500)
        await pass(500, a)
      }
      expect([a.held().length, a.count()]).toEqual([18, 18])
      expect(looks).toBeLessThanOrEqual(6)
    },
  )

  test('when one renews every five seconds only, then nobody takes its leases', async () => {
    const { a, b, pass } = await openTwo()
    const before = b.held()
    for (let turns = 0; turns < 20; turns++) {
      await pass(500, b, a)
      await pass(4_500, a)
      expect(b.count()).toBe(9)
    }
    expect([a.count(), b.held(), b.noted()]).toEqual([9, before, 1])
  })

  test('when one looks every few seconds, then it takes nothing from who renews', async () => {
    const { a, b, pass } = await openTwo()
    for (const every of [2_000, 4_000, 9_000, 30_000]) {
      for (let turns = 0; turns < 6; turns++) {
        await pass(every - 500, b)
        // It looks before the other's next renewal.
        await pass(500, a)
        expect(b.count()).toBeGreaterThanOrEqual(9)
      }
      await pass(4_000, a, b)
      expect([a.count(), b.count()]).toEqual([9, 9])
    }
  })

  test("when the store's clock is set, then nobody is gone, or kept for ever", async () => {
    const { a, b, pass, set } = await openTwo()
    for (const by of [3_600_000, -7_200_000]) {
      set(by)
      await pass(4_500, a)
      await pass(4_000, a, b)
      expect([a.count(), b.count(), a.noted()]).toEqual([9, 9, 2])
    }
    set(-60_000)
    await pass(9_500, a)
    expect(a.count()).toBe(18)
  })

  test("when a node's own clock is set forward, then it takes nobody for gone", async () => {
    const { a, b, pass } = await openTwo()
    for (let times = 0; times < 4; times++) {
      a.set(60_000)
      await pass(5_000, a)
      expect(a.count()).toBe(9)
      await pass(4_000, a, b)
      expect([a.count(), b.count()]).toEqual([9, 9])
    }
  })

  test('when what one can do is found out slowly, then it renews all the same', async () => {
    const { a, b, pass, start } = await openTwo()
    let looks = 0
    const c = start('c', () => (looks++ === 0 ? Promise.resolve([]) : new Promise(() => {})))
    await pass(30_000, a, b, c)
    expect([a.count(), b.count(), c.count(), looks]).toEqual([6, 6, 6, 2])
  })

  test('when one ends, then the other does everything at its next look', async () => {
    const { a, b, pass } = await openTwo()
    await b.leave()
    await pass(500, a)
    expect(a.count()).toBe(18)
  })

  test('when one is frozen, then it stops before the other begins, and comes back', async () => {
    const { a, b, pass } = await openTwo()
    const [work = ''] = b.held()
    const lease = b.leaseOf(work)
    while (lease.isHeld()) {
      expect(a.count()).toBe(9)
      await pass(500, a)
    }
    // The other node has not taken it yet.
    expect([a.count(), b.isOwn(work), b.count()]).toEqual([9, false, 0])
    expect(() => b.leaseOf(work)).toThrow(LeaseLost)
    await pass(3_000, a)
    await pass(4_000, a, b)
    expect([a.count(), b.count()]).toEqual([9, 9])
    expect(lease.isHeld()).toBe(false)
  })

  test('when one loses a lease and wins it again, then what it began has ended', async () => {
    const { a, b, pass } = await openTwo()
    const before = b.held().map((work) => ({ work, ...b.begun(work) }))
    expect(before.every(({ leftMs }) => leftMs() > 0)).toBe(true)
    await pass(10_000, a)
    await pass(4_000, a, b)
    const again = before.filter(({ work }) => b.held().includes(work))
    expect(again.length).toBeGreaterThan(0)
    for (const { work, leftMs } of again)
      expect([leftMs(), b.begun(work).leftMs() > 0]).toEqual([0, true])
  })

  test('when something could not be recorded, then its lease is kept until it is', async () => {
    const { a, b, pass, start } = await openTwo()
    const [work = ''] = b.held()
    const kept = b.held().filter((one) => one !== work)
    for (const one of kept) b.begun(one).keep()
    const c = start('c')
    await pass(2_500, a, b, c)
    expect(kept.filter(b.isOwn)).toEqual(kept)
    await pass(3_000, a, b, c)
    expect([a.count(), b.count(), c.count()]).toEqual([6, 6, 6])
  })

  test('when one ends with something unrecorded, then it is as if it had died', async () => {
    const { a, b, pass } = await openTwo()
    b.begun(b.held()[0] ?? '').keep()
    await b.leave()
    await pass(4_500, a)
    expect(a.count()).toBe(9)
    await pass(5_000, a)
    expect(a.count()).toBe(18)
  })

  test('when the store is away, then nobody does anything, and both go on afterwards', async () => {
    const { a, b, pass, away } = await openTwo()
    const before = [a.held().toSorted(), b.held().toSorted()]
    away(true)
    await pass(60_000, a, b)
    expect([a.count(), b.count()]).toEqual([0, 0])
    away(false)
    await pass(1_000, a, b)
    expect([a.held().toSorted(), b.held().toSorted()]).toEqual(before)
    expect([a.count(), b.count()]).toEqual([9, 9])
  })

  test('when one was too late to renew, then it looks again for what it passed over', async () => {
    const { a, b, pass } = await openTwo()
    await pass(7_000)
    expect(a.count()).toBe(0)
    const before = a.noted()
    await pass(500, a, b)
    expect([a.count(), a.noted()]).toEqual([9, before + 1])
  })

  test('when all are frozen, then none takes the others for gone', async () => {
    const { a, b, pass } = await openTwo()
    await pass(60_000)
    await pass(2_000, a)
    expect([a.count(), b.count()]).toEqual([9, 0])
    await pass(1_000, a, b)
    expect([a.count(), b.count()]).toEqual([9, 9])
  })

  test('when they renew, then a few small events a second are enough', async () => {
    const { a, b, pass, store } = await openTwo()
    const before = (await store.readStream('lease-work')).length
    await pass(60_000, a, b)
    const events = await store.readStream('lease-work')
    expect(events.length - before).toBeLessThanOrEqual(60)
    expect(JSON.stringify(events.at(-1)?.data).length).toBeLessThan(600)
    expect(a.noted()).toBeLessThan(5)
  })

  test('when a third comes, then it gets what is under way only when that has ended', async () => {
    const { a, b, pass, start } = await openTwo()
    let end = () => {}
    const works = [a, b].map((node) => {
      const done = new Promise<void>((resolve) => {
        const before = end
        end = () => [before(), resolve()]
      })
      return node.using(
        () => true,
        () => done,
      )
    })
    const c = start('c')
    await pass(4_000, a, b, c)
    // It starts nothing new, and neither does anybody else.
    expect([a.count(), b.count(), c.count()]).toEqual([6, 6, 0])
    end()
    await Promise.all(works)
    await pass(2_000, a, b, c)
    expect([a.count(), b.count(), c.count()]).toEqual([6, 6, 6])
  })
})

test('given a machine that slept, or a clock that was set, then time has passed', () => {
  const [steady, wall] = [{ at: 0 }, { at: 1_000 }]
  const elapsed = makeElapsed([() => steady.at, () => wall.at])
  const then = (ofSteady: number, ofWall: number): number => {
    steady.at += ofSteady
    wall.at += ofWall
    return elapsed()
  }
  expect([then(100, 100), then(100, 15_000), then(100, -60_000)]).toEqual([100, 15_100, 15_200])
})

test('the events that all nodes read are those of the oldest build that is alive', async () => {
  const { start, pass } = openNodes()
  const [older, newer] = [1, 2].map((reads) => ({ reads, version: `${reads}.0.0` }))
  const a = start('a', undefined, newer)
  expect(a.lowestRead()).toBe(0)
  await pass(1_000, a)
  expect(a.lowestRead()).toBe(2)
  const [b, unnamed] = [start('b', undefined, older), start('c')]
  await pass(4_000, a, b)
  expect([a.lowestRead(), b.lowestRead()]).toEqual([1, 1])
  await pass(4_000, a, b, unnamed)
  expect(a.lowestRead()).toBe(0)
  expect(a.nodes().map(({ version }) => version)).toEqual(['2.0.0', '1.0.0', ''])
  await Promise.all([b, unnamed].map(({ leave }) => leave()))
  await pass(1_000, a)
  expect(a.lowestRead()).toBe(2)
})
