import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noStream, type EventStore, type NewEvent } from '../../application/event-store.ts'
import {
  collect,
  fresh,
  idsOf,
  newEvent,
  newEvents,
  outcome,
  refused,
  type Opened,
} from './appends.ts'

const oddAppends: Record<string, (event: NewEvent) => Parameters<EventStore['append']>> = {
  'no events': () => ['odd-1', [], noStream],
  'an empty stream name': (event) => ['', [event], noStream],
  'a stream name of the store': (event) => ['$odd', [event], noStream],
  'a stream name beyond ASCII': (event) => ['kafé', [event], noStream],
  'an empty type': (event) => ['odd-2', [{ ...event, type: '' }], noStream],
  'a type of the store': (event) => ['odd-3', [{ ...event, type: '$odd' }], noStream],
  'an id that is no UUID': (event) => ['odd-4', [{ ...event, id: 'seven' }], noStream],
  'the id of nothing': (event) => [
    'odd-5',
    [{ ...event, id: '00000000-0000-0000-0000-000000000000' }],
    noStream,
  ],
  'a bigint in the data': (event) => ['odd-6', [{ ...event, data: { n: 1n } }], noStream],
  'a list for data': (event) => ['odd-7', [{ ...event, data: [] as never }], noStream],
  'more than 1 MiB': (event) => [
    'odd-8',
    [
      { ...event, data: { text: 'x'.repeat(600_000) } },
      { ...newEvent(), data: { text: 'x'.repeat(600_000) } },
    ],
    noStream,
  ],
  'a revision below none': (event) => ['odd-9', [event], -2],
  'half a revision': (event) => ['odd-10', [event], 0.5],
}

export const appendContract = (store: Opened): void => {
  describe('appends', () => {
    test('to a stream at the expected revision', async () => {
      const stream = fresh()
      const [a, b, c] = [newEvent(1), newEvent(2), newEvent(3)]
      const first = await store().append(stream, [a, b], noStream)
      const second = await store().append(stream, [c], first.revision)
      expect([first.revision, second.revision]).toEqual([1, 2])
      expect(second.position).toBeGreaterThan(first.position)
      expect(await store().readStream(stream)).toMatchObject([
        { ...a, stream, revision: 0, position: expect.any(Number) },
        { ...b, stream, revision: 1, position: first.position },
        { ...c, stream, revision: 2, position: second.position },
      ])
    })

    test('that are wanted soon like those that are wanted now', async () => {
      const [stream, other] = [fresh(), fresh()]
      const [a, b] = [newEvent(1), newEvent(2)]
      const soon = store().append(stream, [a], noStream, 'soon')
      await store().append(other, [newEvent()], noStream)
      expect(await soon).toMatchObject({ revision: 0 })
      expect(await outcome(store().append(stream, [b], 5, 'soon'))).toEqual(refused(5, 0))
      await store().append(stream, [b], 0, 'now')
      expect(await idsOf(store(), stream)).toEqual([a.id, b.id])
    })

    test('nothing if the stream has another revision', async () => {
      const stream = fresh()
      expect(await outcome(store().append(stream, [newEvent()], 0))).toEqual(refused(0, noStream))
      expect(await outcome(store().append(stream, [newEvent()], 5))).toEqual(refused(5, noStream))
      await store().append(stream, newEvents(3), noStream)
      expect(await outcome(store().append(stream, [newEvent()], 0))).toEqual(refused(0, 2))
      expect(await outcome(store().append(stream, [newEvent()], 7))).toEqual(refused(7, 2))
      expect(await outcome(store().append(stream, [newEvent()], -1))).toEqual(refused(-1, 2))
      expect(await store().readStream(stream)).toHaveLength(3)
    })

    test('for one of fifty contenders, and gives the others the current revision', async () => {
      const stream = fresh()
      await store().append(stream, [newEvent()], noStream)
      const contenders = Array.from({ length: 50 }, (_, n) => [newEvent(n), newEvent(n)])
      const outcomes = await Promise.all(
        contenders.map((events) => outcome(store().append(stream, events, 0))),
      )
      const winners = outcomes.flatMap((one, index) => ('refused' in (one as object) ? [] : index))
      expect(winners).toHaveLength(1)
      expect(outcomes.filter((_, index) => !winners.includes(index))).toEqual(
        Array(49).fill(refused(0, 2)),
      )
      expect((await idsOf(store(), stream)).slice(1)).toEqual(
        contenders[winners[0] ?? -1]?.map(({ id }) => id),
      )
    })

    test('several events as one: they lie together in the log', async () => {
      const streams = Array.from({ length: 20 }, () => fresh())
      const before = await store().head()
      await Promise.all(streams.map((stream) => store().append(stream, newEvents(5), noStream)))
      const log = await collect(store().readAll(before), ({ stream }) => streams.includes(stream))
      expect(log).toHaveLength(100)
      for (let from = 0; from < log.length; from += 5) {
        const together = log.slice(from, from + 5)
        expect(new Set(together.map(({ stream }) => stream)).size).toBe(1)
        expect(together.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4])
      }
    })

    test('in the order of the calls, however many are in flight', async () => {
      const streams = [fresh(), fresh()]
      const appends = Array.from({ length: 400 }, (_, n) =>
        store().append(streams[n % 2] ?? '', [newEvent(n)], Math.floor(n / 2) - 1),
      )
      const revisions = (await Promise.all(appends)).map(({ revision }) => revision)
      expect(revisions).toEqual(Array.from({ length: 400 }, (_, n) => Math.floor(n / 2)))
      const odd = await store().readStream(streams[1] ?? '')
      expect(odd.map(({ data }) => data['n'])).toEqual(
        Array.from({ length: 200 }, (_, n) => 2 * n + 1),
      )
    })

    test.each(Object.entries(oddAppends))('never %s', async (_, oddAppend) => {
      const [stream, events, expected] = oddAppend(newEvent())
      await expect(store().append(stream, events, expected)).rejects.toThrow(TypeError)
    })

    test('exactly 1 MiB, and reads it back', async () => {
      const stream = fresh()
      const big = { ...newEvent(), data: { text: 'x'.repeat(1_048_576 - '{"text":""}'.length) } }
      await store().append(stream, [big], noStream)
      const [found] = await store().readStream(stream)
      expect(found?.data).toEqual(big.data)
    })

    test('whatever JSON can say, and reads it back unchanged', async () => {
      const stream = fresh()
      const event: NewEvent = {
        id: randomUUID().toUpperCase(),
        type: 'Sagt-é☕',
        data: {
          text: 'æøå ☕ \u0000 \u2028 "\\ 👩‍👩‍👧',
          nested: [1, -0.5, 1e21, null, { deep: [[]] }],
          empty: {},
          'æ key': true,
        },
        metadata: { who: 'Åse', list: [] },
      }
      await store().append(stream, [event], noStream)
      const [found] = await store().readStream(stream)
      expect(found).toMatchObject({ ...event, id: event.id.toLowerCase() })
    })

    test('JSON of any shape', async () => {
      const stream = fresh()
      const values = fc.sample(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), {
        numRuns: 60,
        seed: 7,
      })
      // Negative zero is the only number that JSON does not preserve.
      const sent = values.map((data) => JSON.parse(JSON.stringify(data)))
      const events = sent.map((data) => ({ ...newEvent(), data }))
      await store().append(stream, events, noStream)
      const found = await store().readStream(stream)
      expect(found.map(({ data }) => data)).toEqual(sent)
    })
  })
}
