import { describe, expect, test } from 'vitest'
import type { RecordedEvent } from '../../application/event-store.ts'
import { makeTail } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { clockAdvanced } from './appends.ts'

describe('the tail of the log', () => {
  const appended = (revision: number, position: number) => ({ revision, position })
  const positions = (events: readonly RecordedEvent[]) => events.map(({ position }) => position)

  test('caches what was appended, and no position that others may have written to', () => {
    const tail = makeTail()
    tail.add('one', [clockAdvanced(1), clockAdvanced(2)], appended(1, 2))
    tail.add('two', [clockAdvanced(3)], appended(0, 3))
    expect(positions(tail.after(0))).toEqual([1, 2, 3])
    expect(positions(tail.after(2))).toEqual([3])
    expect(tail.after(1)[0]).toMatchObject({ stream: 'one', revision: 1, data: { aheadBy: 2 } })
    // Position 4 was written by another process.
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

  test('drops the oldest, and then returns none after them', () => {
    const tail = makeTail()
    for (let position = 1; position <= 5_000; position++)
      tail.add('one', [clockAdvanced(1)], appended(position - 1, position))
    expect(positions(tail.after(0))).toEqual([])
    expect(positions(tail.after(4_998))).toEqual([4_999, 5_000])
  })
})
