import { describe, expect, test } from 'vitest'
import { noStream, type Position, type RecordedEvent } from '../../application/event-store.ts'
import { collect, fresh, label, newEvent, newEvents, type Opened } from './appends.ts'

/** The contract for reading and following. */
export const readContract = (store: Opened): void => {
  describe('reads', () => {
    test('a stream from any revision, and nothing of a stream that is not there', async () => {
      const stream = fresh()
      await store().append(stream, newEvents(5), noStream)
      const revisionsFrom = async (from?: number) =>
        (await store().readStream(stream, from)).map(({ revision }) => revision)
      expect(await revisionsFrom()).toEqual([0, 1, 2, 3, 4])
      expect(await revisionsFrom(0)).toEqual([0, 1, 2, 3, 4])
      expect(await revisionsFrom(3)).toEqual([3, 4])
      expect(await revisionsFrom(5)).toEqual([])
      expect(await store().readStream(fresh())).toEqual([])
      expect(await store().readStream(fresh(), 3)).toEqual([])
    })

    test('as many events of a stream as requested, or as exist', async () => {
      const stream = fresh()
      for (let n = 0; n < 3; n++) await store().append(stream, newEvents(700), 700 * n - 1)
      const read = async (from: number, limit: number) => {
        const revisions = (await store().readStream(stream, from, limit)).map((e) => e.revision)
        expect(revisions).toEqual(revisions.map((_, n) => from + n))
        return revisions.length
      }
      expect(await read(0, 1)).toBe(1)
      expect(await read(5, 2)).toBe(2)
      expect(await read(10, 1_000)).toBe(1_000)
      expect(await read(10, 1_500)).toBe(1_500)
      expect(await read(2_098, 3)).toBe(2)
      expect(await read(0, 2_100)).toBe(2_100)
      expect(await read(2_100, 1)).toBe(0)
    })

    test('all events after any position, in the order of the log', async () => {
      const [a, b] = [fresh('a'), fresh('b')]
      const isOurs = ({ stream }: RecordedEvent) => stream === a || stream === b
      const from = await store().head()
      const first = await store().append(a, newEvents(2), noStream)
      const second = await store().append(b, newEvents(1), noStream)
      const third = await store().append(a, newEvents(1), 1)
      const after = async (position: Position) =>
        (await collect(store().readAll(position), isOurs)).map(label)
      expect(await after(from)).toEqual([`${a}@0`, `${a}@1`, `${b}@0`, `${a}@2`])
      expect(await after(first.position)).toEqual([`${b}@0`, `${a}@2`])
      expect(await after(second.position)).toEqual([`${a}@2`])
      expect(await after(third.position)).toEqual([])
    })

    test('the newest before an event or the end, and the event at a position', async () => {
      const stream = fresh()
      const { position: first } = await store().append(stream, newEvents(1), noStream)
      await store().append(fresh('b'), newEvents(40), noStream)
      const { position: last } = await store().append(stream, newEvents(2), 0)
      const [, ...older] = await store().readBack(undefined, 2)
      const positions = (await store().readBack(last, 41)).map(({ position }) => position)
      expect(older).toEqual(await store().readBack(last, 1))
      expect(positions).toEqual(positions.toSorted((one, other) => other - one))
      expect([positions.length, Math.min(...positions) > first]).toEqual([41, true])
      expect(label((await store().readBack(positions.at(-1), 1))[0]!)).toBe(`${stream}@0`)
      const found = [await store().readAt(first), await store().readAt(last)]
      expect(found.map((event) => event && label(event))).toEqual([`${stream}@0`, `${stream}@2`])
      expect(await store().readAt(0)).toBeUndefined()
    })

    test('thousands of events in batches with positions that grow', async () => {
      const streams = Array.from({ length: 6 }, () => fresh('bulk'))
      const from = await store().head()
      for (const stream of streams) await store().append(stream, newEvents(1_000), noStream)
      const log = await collect(store().readAll(from), ({ stream }) => streams.includes(stream))
      expect(log.map(label)).toEqual(
        streams.flatMap((stream) => Array.from({ length: 1_000 }, (_, n) => `${stream}@${n}`)),
      )
      const positions = log.map(({ position }) => position)
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other))
    })

    test('the head, which passes every acknowledged append', async () => {
      const { position } = await store().append(fresh(), newEvents(2), noStream)
      const heads = await Promise.all(Array.from({ length: 20 }, () => store().head()))
      for (const head of heads) expect(head).toBeGreaterThanOrEqual(position)
      const later = await store().append(fresh(), newEvents(1), noStream)
      expect(await store().head()).toBeGreaterThanOrEqual(later.position)
    })
  })

  describe('lets readers follow', () => {
    test('what writers write, every event once and in order, wherever they join', async () => {
      const streams = Array.from({ length: 8 }, () => fresh('followed'))
      const isOurs = ({ stream }: RecordedEvent) => streams.includes(stream)
      const from = await store().head()
      const follow = () => {
        const stop = new AbortController()
        return collect(store().follow(from, stop.signal), isOurs, 800).finally(() => stop.abort())
      }
      const early = follow()
      const late: Promise<RecordedEvent[]>[] = []
      await Promise.all(
        streams.map(async (stream, index) => {
          for (let n = 0; n < 100; n++) {
            await store().append(stream, [newEvent(n)], n - 1)
            if (index === 0 && n === 50) late.push(follow())
          }
        }),
      )
      const log = (await collect(store().readAll(from), isOurs)).map(label)
      expect(log).toHaveLength(800)
      expect((await early).map(label)).toEqual(log)
      expect((await Promise.all(late)).map((seen) => seen.map(label))).toEqual([log])
    })

    test('to the head at least', async () => {
      const from = await store().head()
      await store().append(fresh(), newEvents(3), noStream)
      const head = await store().head()
      const stop = new AbortController()
      let reached = from
      for await (const batch of store().follow(from, stop.signal)) {
        reached = batch.at(-1)?.position ?? reached
        if (reached >= head) stop.abort()
      }
      expect(reached).toBeGreaterThanOrEqual(head)
    })

    test('until they have had enough', async () => {
      const from = await store().head()
      const idle = new AbortController()
      const waiting = collect(store().follow(from, idle.signal), () => false)
      const done = new AbortController()
      done.abort()
      expect(await collect(store().follow(from, done.signal))).toEqual([])
      const { position } = await store().append(fresh(), newEvents(1), noStream)
      for await (const batch of store().follow(from, new AbortController().signal)) {
        if ((batch.at(-1)?.position ?? from) >= position) break
      }
      idle.abort()
      expect(await waiting).toEqual([])
    })
  })
}
