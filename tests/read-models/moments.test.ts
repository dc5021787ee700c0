import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Recorded } from '../../domain/events.ts'
import { foldMoments, readMoments } from '../../infrastructure/read-models/moment-fold.ts'
import { openFile, tableStatements } from '../../infrastructure/read-models/read-model-file.ts'
import { gatherWrites, makeWriter } from '../../infrastructure/read-models/rows.ts'

const noon = Date.parse('2026-03-31T12:00:00Z')

const minute = 60_000

/**
 * Folds events with these times, at positions 1, 2, 3 …; each batch may start by reading the file.
 */
const folded = (times: readonly number[], batch = times.length, isForgetful = false) => {
  const file = openFile(':memory:', [], tableStatements([]))
  const { fold, forget } = foldMoments(file)
  const write = makeWriter(file)
  const events = times.map((at, index) => ({ position: index + 1, metadata: { at } }) as Recorded)
  for (let first = 0; first < events.length; first += batch) {
    const writes = gatherWrites()
    fold(events.slice(first, first + batch), writes)
    write(writes.all())
    if (isForgetful) forget()
  }
  const rows = file.sqlite.prepare('SELECT at, position FROM moments ORDER BY at').raw().all()
  return { ...readMoments(file), rows }
}

test('given events of several times, then a time finds the last event up to it', () => {
  const { positionAt, logTime } = folded([noon, noon, noon + 5, noon + 9])
  const found = [-1, 0, 4, 5, 8, 9, minute].map((after) => positionAt(noon + after))
  expect(found).toEqual([0, 2, 2, 3, 3, 4, 4])
  expect(logTime()).toBe(noon + 9)
})

test('given an empty log, then every time finds its beginning', () => {
  const { positionAt, logTime } = folded([])
  expect([positionAt(noon), logTime()]).toEqual([0, undefined])
})

test('an event stamped when its work began counts from the time that the log had reached', () => {
  // A report is closed at noon, a capture is made, and the report is completed as of noon.
  const { positionAt } = folded([noon, noon + 300, noon, noon + 900])
  const found = [0, 299, 300, 899, 900].map((after) => positionAt(noon + after))
  expect(found).toEqual([1, 1, 3, 3, 4])
})

test('given a clock that was put back, then a time that came twice is the later one', () => {
  const { positionAt, rows } = folded([noon, noon + 90 * minute, noon + minute, noon + 2 * minute])
  const found = [0, 1, 2, 90].map((after) => positionAt(noon + after * minute))
  expect(found).toEqual([1, 3, 4, 4])
  expect(rows).toHaveLength(3)
})

/** A literal implementation of interface 17, which scans every event. */
const positionBySearching = (times: readonly number[], time: number): number => {
  let logTime = -Infinity
  let found = 0
  times.forEach((at, index) => {
    logTime = at < logTime && logTime - at <= minute ? logTime : at
    if (logTime <= time) found = index + 1
  })
  return found
}

test('for any times, in any batches, a time finds what a search of all events finds', () => {
  const step = fc.oneof(
    fc.integer({ min: 0, max: 2_000 }),
    fc.integer({ min: -3 * minute, max: -1 }),
    fc.constantFrom(0, -minute, -minute - 1, 5 * minute),
  )
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      (steps, batch, isForgetful) => {
        let at = noon
        const times = steps.map((by) => (at += by))
        const { positionAt } = folded(times, batch, isForgetful)
        for (const time of times.flatMap((one) => [one - 1, one, one + 1]))
          expect([time, positionAt(time)]).toEqual([time, positionBySearching(times, time)])
      },
    ),
  )
})
