import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { start, StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import { makeHandler } from '../../application/handle.ts'
import type { Decider } from '../../domain/decider.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-heads-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ids = ['one', 'two', 'three'] as const
type Id = (typeof ids)[number]

/** Counts and sums its events, so that a missing or duplicate one shows. */
type Sum = { readonly count: number; readonly sum: number; readonly position: number }
type Step = { readonly type: 'ClockAdvanced'; readonly data: { readonly aheadBy: number } }
const summing: Decider<number, Step, Sum> = {
  initial: { count: 0, sum: 0, position: start },
  decide: (aheadBy) => [{ type: 'ClockAdvanced', data: { aheadBy } }],
  evolve: ({ count, sum }, { data }, { position }) => ({
    count: count + 1,
    sum: sum + data.aheadBy,
    position,
  }),
}
const sums = { category: 'sum', decider: summing }
const context = { at: 1, merchant: null, actor: 'test', correlationId: 'test' }

/** Two nodes on one log; the first one observes the log on command. */
const twoNodes = () => {
  const file = join(folder, `${randomUUID()}.sqlite`)
  const stores = [openSqliteEventStore(file), openSqliteEventStore(file)] as const
  const reads: string[] = []
  let catchUps = 0
  let isBroken = false
  /** Responses of the first node's store wait for this. */
  let answering: Promise<void> = Promise.resolve()
  const watched: EventStore = {
    ...stores[0],
    append: async (...about) => {
      const appended = await stores[0].append(...about)
      await answering
      return appended
    },
    readStream: async (...about) => {
      reads.push(about[0])
      const events = await stores[0].readStream(...about)
      await answering
      return events
    },
    readAll: async function* (after) {
      catchUps += 1
      if (isBroken) throw new StoreUnavailable('away')
      for await (const batch of stores[0].readAll(after)) {
        await answering
        yield batch
      }
    },
  }
  const needs = { eventId: () => randomUUID(), commandId: () => randomUUID() }
  const nodes = [
    makeHandler({ ...needs, store: watched }),
    makeHandler({ ...needs, store: stores[1] }),
  ] as const
  const expected = new Map<Id, { count: number; sum: number }>()
  let observed = start
  return {
    reads,
    catchUps: () => catchUps,
    breakLog: (isNow: boolean): void => void (isBroken = isNow),
    find: async (id: Id) => {
      const { count, sum } = await nodes[0].find(sums, id, 'log')
      return { count, sum }
    },
    expected: (id: Id) => expected.get(id) ?? { count: 0, sum: 0 },
    append: async (node: 0 | 1, id: Id, aheadBy = 1): Promise<void> => {
      const { count, sum } = expected.get(id) ?? { count: 0, sum: 0 }
      expected.set(id, { count: count + 1, sum: sum + aheadBy })
      await nodes[node].handle(sums, id, aheadBy, context)
    },
    observe: async (): Promise<void> => {
      for await (const batch of stores[0].readAll(observed)) {
        nodes[0].observe(batch)
        observed = batch.at(-1)?.position ?? observed
      }
    },
    /** Runs work while responses of the first node's store are in transit. */
    during: async (work: () => Promise<void>): Promise<void> => {
      let arrive = (): void => {}
      answering = new Promise((resolve) => (arrive = resolve))
      await work()
      arrive()
      answering = Promise.resolve()
    },
    close: async (): Promise<void> => {
      for (const store of stores) await store.close()
    },
  }
}

describe('the current state of an aggregate in the log', () => {
  test(
    'is as new as the log, whoever writes to it and however late that is observed',
    { tags: 'long' },
    async () => {
      const id = fc.constantFrom(...ids)
      const node = fc.constantFrom(0 as const, 1 as const)
      const step = fc.oneof(
        fc.record({ do: fc.constant('append' as const), node, id, aheadBy: fc.nat(1000) }),
        fc.record({ do: fc.constant('observe' as const) }),
        fc.record({ do: fc.constant('find' as const), id }),
        fc.record({ do: fc.constant('find while it is written' as const), id }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const nodes = twoNodes()
          for (const one of steps) {
            if (one.do === 'append') await nodes.append(one.node, one.id, one.aheadBy)
            if (one.do === 'observe') await nodes.observe()
            if (one.do === 'find') expect(await nodes.find(one.id)).toEqual(nodes.expected(one.id))
            if (one.do === 'find while it is written') {
              let found: Promise<unknown> | undefined
              await nodes.during(async () => {
                found = nodes.find(one.id)
                await nextTurn()
                await nodes.append(1, one.id)
                await nodes.observe()
              })
              await found
            }
            await nextTurn()
          }
          for (const one of ids) expect(await nodes.find(one)).toEqual(nodes.expected(one))
          await nodes.close()
        }),
        { numRuns: 60 },
      )
    },
  )

  test('needs no reading while this process alone writes', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one')
    await nodes.append(0, 'two')
    await nodes.append(0, 'one')
    expect(await nodes.find('one')).toEqual({ count: 2, sum: 2 })
    expect(await nodes.find('two')).toEqual({ count: 1, sum: 1 })
    expect([nodes.reads, nodes.catchUps()]).toEqual([[], 0])
    await nodes.close()
  })

  test('needs the log, read once, when another process wrote to other streams', async () => {
    const nodes = twoNodes()
    for (const id of ids) await nodes.append(0, id)
    await nodes.append(1, 'one', 2)
    nodes.reads.length = 0
    const found = await Promise.all(ids.map((id) => nodes.find(id)))
    expect(found).toEqual(ids.map((id) => nodes.expected(id)))
    expect(nodes.reads).toEqual(['sum-one'])
    expect(nodes.catchUps()).toBe(1)
    await nodes.close()
  })

  test('is read from its stream when an answer is late and another process appended', async () => {
    const nodes = twoNodes()
    let appended: Promise<void> | undefined
    await nodes.during(async () => {
      appended = nodes.append(0, 'one', 1)
      await nextTurn()
      await nodes.append(1, 'one', 2)
      await nodes.observe()
    })
    await appended
    expect(await nodes.find('one')).toEqual({ count: 2, sum: 3 })
    await nodes.close()
  })

  test('is found again after the log could not be read', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one')
    await nodes.append(1, 'two')
    nodes.breakLog(true)
    await expect(nodes.find('one')).rejects.toThrow(StoreUnavailable)
    nodes.breakLog(false)
    expect(await nodes.find('one')).toEqual(nodes.expected('one'))
    await nodes.close()
  })
})
