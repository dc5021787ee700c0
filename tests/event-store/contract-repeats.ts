import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noStream } from '../../application/event-store.ts'
import { fresh, idsOf, newEvent, newEvents, outcome, refused, type Opened } from './appends.ts'

export const repeatContract = (store: Opened): void => {
  describe('recognises a repeated append', () => {
    test('at once, and after others have appended', async () => {
      const stream = fresh()
      await store().append(stream, [newEvent()], noStream)
      const again = newEvents(2)
      const first = await store().append(stream, again, 0)
      expect(await store().append(stream, again, 0)).toEqual(first)
      await store().append(stream, newEvents(3), first.revision)
      expect(await store().append(stream, again, 0)).toEqual(first)
      expect(await store().readStream(stream)).toHaveLength(6)
    })

    test('of which only the first part is repeated', async () => {
      const stream = fresh()
      const [a, b] = [newEvent(), newEvent()]
      await store().append(stream, [a, b], noStream)
      const [first] = await store().readStream(stream)
      expect(await store().append(stream, [a], noStream)).toEqual({
        revision: 0,
        position: first?.position,
      })
      expect(await store().append(stream, [b], 0)).toMatchObject({ revision: 1 })
      expect(await idsOf(store(), stream)).toEqual([a.id, b.id])
    })

    test('but not one that overlaps with an earlier one in part', async () => {
      const stream = fresh()
      const [a, b] = [newEvent(), newEvent()]
      await store().append(stream, [a], noStream)
      expect(await outcome(store().append(stream, [a, b], noStream))).toEqual(refused(-1, 0))
      await store().append(stream, [b], 0)
      expect(await outcome(store().append(stream, [a, newEvent()], -1))).toEqual(refused(-1, 1))
      expect(await outcome(store().append(stream, [b], noStream))).toEqual(refused(-1, 1))
      expect(await idsOf(store(), stream)).toEqual([a.id, b.id])
    })

    test('that is made twenty times at once', async () => {
      const stream = fresh()
      const again = newEvents(2)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => store().append(stream, again, noStream)),
      )
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(answers[0]?.revision).toBe(1)
      expect(await idsOf(store(), stream)).toEqual(again.map(({ id }) => id))
    })

    test('in any history of appends and repeats', async () => {
      const step = fc.record({
        stream: fc.integer({ min: 0, max: 1 }),
        /** Few ids, so that appends repeat and overlap. */
        ids: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
        expected: fc.integer({ min: -1, max: 4 }),
      })
      const ids = Array.from({ length: 4 }, () => randomUUID())
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          const names = [fresh('history'), fresh('history')]
          const model: string[][] = [[], []]
          for (const { stream, ids: picked, expected } of steps) {
            const there = model[stream] ?? []
            const wanted = picked.map((n) => ids[n] ?? '')
            const end = expected + wanted.length
            const isNext = expected === there.length - 1
            const isRepeat =
              JSON.stringify(there.slice(expected + 1, end + 1)) === JSON.stringify(wanted)
            const answer = await outcome(
              store().append(
                names[stream] ?? '',
                wanted.map((id) => newEvent(0, id)),
                expected,
              ),
            )
            if (isNext) there.push(...wanted)
            expect(answer).toMatchObject(
              isNext || isRepeat ? { revision: end } : refused(expected, there.length - 1),
            )
          }
          expect([
            await idsOf(store(), names[0] ?? ''),
            await idsOf(store(), names[1] ?? ''),
          ]).toEqual(model)
        }),
        { numRuns: 25 },
      )
    })
  })
}
