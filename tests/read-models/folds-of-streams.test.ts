import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import {
  noStream,
  start,
  StoreUnavailable,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import type { Recorded } from '../../domain/events.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { makeTail } from '../../infrastructure/event-store/sqlite-event-tail.ts'
import { usualRoom, type Room } from '../../application/recent.ts'
import { foldsOfStreams } from '../../infrastructure/read-models/folds-of-streams.ts'
import { clockAdvanced } from '../event-store/appends.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-folds-'))
afterAll(() => rmSync(folder, { recursive: true }))

const streams = ['one', 'two', 'three'] as const
type Stream = (typeof streams)[number]

/** The sum of what a stream's events say, and how many there were: an event left out or folded twice shows. */
type Sum = { readonly count: number; readonly sum: number; readonly revision: number }
const summing = {
  handles: new Set(['ClockAdvanced']),
  apply: (folded: Sum | undefined, event: Recorded): Sum => ({
    count: (folded?.count ?? 0) + 1,
    sum: (folded?.sum ?? 0) + (event.type === 'ClockAdvanced' ? event.data.aheadBy : 0),
    revision: event.revision,
  }),
}

/** Two nodes on one log, of which the first folds streams and hears of what happens when it is told to look. */
const twoNodes = () => {
  const file = join(folder, `${randomUUID()}.sqlite`)
  const nodes = [openSqliteEventStore(file), openSqliteEventStore(file)] as const
  const reads: Stream[] = []
  const counted: EventStore = {
    ...nodes[0],
    readStream: async (stream, from) => {
      reads.push(stream as Stream)
      const events = await nodes[0].readStream(stream, from)
      // Another store answers over a network, and more may happen until it is heard.
      await answering
      return events
    },
    readAll: async function* (after) {
      catchUps += 1
      if (isBroken) throw new StoreUnavailable('away')
      for await (const batch of nodes[0].readAll(after)) {
        await answering
        yield batch
      }
    },
  }
  let catchUps = 0
  let isBroken = false
  let answering: Promise<void> = Promise.resolve()
  const folds = foldsOfStreams({
    store: counted,
    projection: summing,
    from: start,
  })
  const revisions = new Map<Stream, number>()
  const sums = new Map<Stream, Sum>()
  const untold: RecordedEvent[] = []
  let heard: Position = start
  return {
    find: folds.find,
    reads,
    catchUps: () => catchUps,
    breakLog: (): void => void (isBroken = true),
    mendLog: (): void => void (isBroken = false),
    expected: (stream: Stream) => sums.get(stream),
    append: async (
      node: 0 | 1,
      stream: Stream,
      aheadBy: number,
      whenTold: 'at once' | 'later' | 'never' = 'at once',
    ): Promise<void> => {
      const expected = revisions.get(stream) ?? noStream
      const event = clockAdvanced(aheadBy)
      const appended = await nodes[node].append(stream, [event], expected)
      const recorded = { ...event, stream, ...appended }
      if (node === 0 && whenTold === 'at once') folds.add(recorded, 100)
      if (whenTold === 'later') untold.push(recorded)
      revisions.set(stream, expected + 1)
      const { count, sum } = sums.get(stream) ?? { count: 0, sum: 0 }
      sums.set(stream, { count: count + 1, sum: sum + aheadBy, revision: expected + 1 })
    },
    /** Tells what was to be told later. */
    tell: (): void => {
      for (const event of untold.splice(0)) folds.add(event, 100)
    },
    hear: async (until = Infinity): Promise<void> => {
      const events: RecordedEvent[] = []
      for await (const batch of nodes[0].readAll(heard))
        events.push(...batch.filter(({ position }) => position <= until))
      folds.notice(events)
      heard = events.at(-1)?.position ?? heard
    },
    /** This node's append is answered only after another's, which followed it, has been heard of. */
    appendAndHearBeforeTold: async (stream: Stream): Promise<void> => {
      const [first, second] = [clockAdvanced(1), clockAdvanced(2)]
      const appended = await nodes[0].append(stream, [first], noStream)
      await nodes[1].append(stream, [second], 0)
      const all: RecordedEvent[] = []
      for await (const batch of nodes[0].readAll(heard)) all.push(...batch)
      folds.notice(all)
      folds.add({ ...first, stream, ...appended }, 100)
      sums.set(stream, { count: 2, sum: 3, revision: 1 })
    },
    /** Does something while answers are on their way. */
    during: async (work: () => Promise<void>): Promise<void> => {
      let resolve = (): void => {}
      answering = new Promise((resolved) => (resolve = resolved))
      await work()
      resolve()
      answering = Promise.resolve()
    },
    close: async (): Promise<void> => {
      for (const node of nodes) await node.close()
    },
  }
}

describe('what is folded from its stream', () => {
  test('is as new as the log, whoever writes to it and however late that is heard', async () => {
    const stream = fc.constantFrom(...streams)
    const step = fc.oneof(
      fc.record({
        do: fc.constant('append' as const),
        node: fc.constantFrom(0 as const, 1 as const),
        stream,
        aheadBy: fc.nat(1000),
        whenTold: fc.constantFrom('at once' as const, 'never' as const),
      }),
      fc.record({ do: fc.constant('hear' as const) }),
      fc.record({ do: fc.constant('find' as const), stream }),
      fc.record({ do: fc.constant('find while it is written' as const), stream }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const nodes = twoNodes()
        for (const one of steps) {
          if (one.do === 'append')
            await nodes.append(one.node, one.stream, one.aheadBy, one.whenTold)
          if (one.do === 'hear') await nodes.hear()
          if (one.do === 'find while it is written') {
            let found: Promise<unknown> | undefined
            await nodes.during(async () => {
              found = nodes.find(one.stream)
              await nextTurn()
              await nodes.append(0, one.stream, 1)
              await nodes.hear()
            })
            await found
          }
          // A request comes in a turn of its own.
          await nextTurn()
          if (one.do === 'find')
            expect(await nodes.find(one.stream)).toEqual(nodes.expected(one.stream))
        }
        for (const name of streams) expect(await nodes.find(name)).toEqual(nodes.expected(name))
        await nodes.close()
      }),
      { numRuns: 60 },
    )
  })

  test('needs no reading when this process has made it, whatever has come by since', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1)
    await nodes.append(0, 'one', 2)
    await nodes.hear()
    await nextTurn()
    expect(await nodes.find('one')).toEqual({ count: 2, sum: 3, revision: 1 })
    expect(nodes.reads).toEqual([])
    await nodes.close()
  })

  test('needs no reading when all that happens is made here, and nothing has come by yet', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1)
    await nodes.append(0, 'two', 2)
    await nodes.append(0, 'one', 3)
    await nextTurn()
    expect(await nodes.find('one')).toEqual({ count: 2, sum: 4, revision: 1 })
    expect(await nodes.find('two')).toEqual({ count: 1, sum: 2, revision: 0 })
    expect([nodes.reads, nodes.catchUps()]).toEqual([[], 0])
    await nodes.close()
  })

  test('needs no reading while what was made here is just being told', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1)
    await nodes.append(0, 'two', 2, 'later')
    await nextTurn()
    const found = nodes.find('one')
    await nextTurn()
    nodes.tell()
    expect(await found).toEqual({ count: 1, sum: 1, revision: 0 })
    expect([nodes.reads, nodes.catchUps()]).toEqual([[], 0])
    await nodes.close()
  })

  test('is not read again when this process is told late of what was read with it', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1, 'later')
    await nodes.hear()
    await nextTurn()
    await nodes.find('one')
    nodes.tell()
    await nextTurn()
    expect(await nodes.find('one')).toEqual({ count: 1, sum: 1, revision: 0 })
    expect(nodes.reads).toEqual(['one'])
    await nodes.close()
  })

  test('that goes on changing while nobody asks is read from its stream by who asks then', async () => {
    const nodes = twoNodes()
    for (let change = 0; change < 9; change++) await nodes.append(0, 'one', 1)
    await nextTurn()
    expect(await nodes.find('one')).toEqual({ count: 9, sum: 9, revision: 8 })
    for (let change = 0; change < 9; change++) {
      await nodes.append(0, 'one', 1)
      await nextTurn()
      await nodes.find('one')
    }
    expect(await nodes.find('one')).toEqual({ count: 18, sum: 18, revision: 17 })
    expect(nodes.reads).toEqual(['one'])
    await nodes.close()
  })

  test('is told late of an event that another has followed: then both are read', async () => {
    const nodes = twoNodes()
    await nodes.appendAndHearBeforeTold('one')
    await nextTurn()
    expect(await nodes.find('one')).toEqual(nodes.expected('one'))
    await nodes.close()
  })

  test('is not read again while nothing happens, and of others nothing is read', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1, 'never')
    await nodes.append(0, 'two', 1, 'never')
    await nodes.hear()
    await nodes.find('one')
    await nextTurn()
    await nodes.find('one')
    expect(nodes.reads).toEqual(['one'])
    await nodes.append(1, 'two', 1)
    await nodes.hear()
    await nextTurn()
    await nodes.find('one')
    expect(nodes.reads).toEqual(['one'])
    await nodes.close()
  })

  test('is found without its stream when others were written to: the log is read once for all who look', async () => {
    const nodes = twoNodes()
    for (const stream of streams) await nodes.append(0, stream, 1)
    await nodes.hear()
    await nodes.append(1, 'one', 2)
    await nextTurn()
    const found = await Promise.all(streams.map((stream) => nodes.find(stream)))
    expect(found).toEqual(streams.map((stream) => nodes.expected(stream)))
    expect(nodes.reads).toEqual(['one'])
    expect(nodes.catchUps()).toBe(1)
    await nodes.hear()
    await nodes.append(0, 'two', 2)
    await nextTurn()
    expect(await nodes.find('two')).toEqual(nodes.expected('two'))
    expect(nodes.reads).toEqual(['one'])
    await nodes.close()
  })

  test('is found without the log when what was caught up with comes by late', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1)
    await nodes.append(1, 'two', 1)
    await nodes.append(1, 'three', 1)
    await nextTurn()
    await nodes.find('one')
    await nodes.hear(2)
    await nextTurn()
    expect(await nodes.find('one')).toEqual(nodes.expected('one'))
    expect(nodes.catchUps()).toBe(1)
    await nodes.close()
  })

  test('is read itself when it is written to while the log is being caught up with', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1)
    await nodes.append(1, 'two', 1)
    let found: Promise<unknown> | undefined
    await nodes.during(async () => {
      void nodes.find('one')
      await nextTurn()
      await nextTurn()
      await nodes.append(1, 'one', 2)
      found = nodes.find('one')
      await nextTurn()
      await nextTurn()
    })
    expect(await found).toEqual(nodes.expected('one'))
    expect(nodes.catchUps()).toBe(1)
    await nodes.close()
  })

  test('is found again after the log could not be read', async () => {
    const nodes = twoNodes()
    await nodes.append(0, 'one', 1)
    await nodes.append(1, 'two', 1)
    await nextTurn()
    nodes.breakLog()
    await expect(nodes.find('one')).rejects.toThrow(StoreUnavailable)
    nodes.mendLog()
    await nextTurn()
    expect(await nodes.find('one')).toEqual(nodes.expected('one'))
    await nodes.close()
  })
})

test('what is large is forgotten sooner than what is not, and read again', async () => {
  const store = openSqliteEventStore(join(folder, `${randomUUID()}.sqlite`))
  const reads: string[] = []
  const folding = (room?: Room) =>
    foldsOfStreams({
      store: {
        ...store,
        readStream: async (stream, from) => {
          reads.push(stream)
          return store.readStream(stream, from)
        },
      },
      projection: {
        handles: summing.handles,
        apply: (_: unknown, { revision, data }: Recorded) => ({ revision, data }),
      },
      from: start,
      ...(room && { room }),
    })
  const [small, large] = [folding(), folding()]
  const roomy = folding({ ...usualRoom, bytes: 4 * usualRoom.bytes })
  for (let n = 0; n < 100; n++) {
    const event = clockAdvanced(1)
    const recorded = { ...event, stream: `s-${n}`, ...(await store.append(`s-${n}`, [event], -1)) }
    small.add(recorded, 100)
    for (const folds of [large, roomy])
      folds.add({ ...recorded, data: { ...event.data, text: 'x'.repeat(500_000) } }, 1_000_000)
    for (const folds of [small, large, roomy]) await folds.find(`s-${n}`)
  }
  expect(reads.splice(0)).toEqual([])
  await small.find('s-0')
  await roomy.find('s-0')
  expect(reads).toEqual([])
  await large.find('s-0')
  expect(reads).toEqual(['s-0'])
  await store.close()
})

describe('the tail of the log', () => {
  const appended = (revision: number, position: number) => ({ revision, position })
  const positions = (events: readonly RecordedEvent[]) => events.map(({ position }) => position)

  test('holds what was appended, and tells of no position that others may have written to', () => {
    const tail = makeTail()
    tail.add('one', [clockAdvanced(1), clockAdvanced(2)], appended(1, 2))
    tail.add('two', [clockAdvanced(3)], appended(0, 3))
    expect(positions(tail.after(0))).toEqual([1, 2, 3])
    expect(positions(tail.after(2))).toEqual([3])
    expect(tail.after(1)[0]).toMatchObject({ stream: 'one', revision: 1, data: { aheadBy: 2 } })
    // Position 4 is somebody else's.
    tail.add('one', [clockAdvanced(4)], appended(2, 5))
    expect(positions(tail.after(3))).toEqual([])
    expect(positions(tail.after(4))).toEqual([5])
  })

  test('takes a repeated append for what it is', () => {
    const tail = makeTail()
    tail.add('one', [clockAdvanced(1)], appended(0, 1))
    tail.add('two', [clockAdvanced(2)], appended(0, 2))
    tail.add('one', [clockAdvanced(1)], appended(0, 1))
    expect(positions(tail.after(0))).toEqual([1, 2])
  })

  test('forgets the oldest, and then tells of none after them', () => {
    const tail = makeTail()
    for (let position = 1; position <= 5_000; position++)
      tail.add('one', [clockAdvanced(1)], appended(position - 1, position))
    expect(positions(tail.after(0))).toEqual([])
    expect(positions(tail.after(4_998))).toEqual([4_999, 5_000])
  })
})
