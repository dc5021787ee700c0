import { expect, test } from 'vitest'
import { gathered, wakersOf } from '../../service/background-work.ts'

const timers = () => {
  let now = 0
  const waiting = new Set<{ readonly at: number; readonly act: () => void }>()
  return {
    elapsed: () => now,
    after: (milliseconds: number, act: () => void) => {
      const timer = { at: now + milliseconds, act }
      waiting.add(timer)
      return () => void waiting.delete(timer)
    },
    pass: (milliseconds: number): void => {
      now += milliseconds
      for (const timer of [...waiting].filter(({ at }) => at <= now)) {
        waiting.delete(timer)
        timer.act()
      }
    },
  }
}

/** When the action ran, in ms, while it was wanted each 10 ms of a second. */
const runsOf = (apart?: number): number[] => {
  const time = timers()
  const runs: number[] = []
  const want = gathered(() => runs.push(time.elapsed()), apart, time)
  while (time.elapsed() < 1000) {
    want()
    time.pass(10)
  }
  return runs
}

test('given work that is wanted all the time, then it runs as seldom as it may', () => {
  expect(runsOf(200)).toEqual([20, 220, 420, 620, 820])
  expect(runsOf()).toHaveLength(50)
})

test('given work that has rested, then it runs 20 ms after it is wanted', () => {
  const time = timers()
  const runs: number[] = []
  const want = gathered(() => runs.push(time.elapsed()), 200, time)
  want()
  time.pass(20)
  time.pass(1000)
  want()
  want()
  time.pass(20)
  time.pass(1000)
  expect(runs).toEqual([20, 1040])
})

test('given events all the time, then senders run every 20 ms, and others every 200', () => {
  const time = timers()
  const [sends, other]: [number[], number[]] = [[], []]
  const work = (runs: number[]) => ({ scheduled: { wake: () => void runs.push(time.elapsed()) } })
  const wakers = wakersOf([{ ...work(sends), sendsMessages: true }, work(other)], time)
  while (time.elapsed() < 1000) {
    for (const wake of wakers) wake()
    time.pass(10)
  }
  expect(sends).toHaveLength(50)
  expect(other).toEqual([20, 220, 420, 620, 820])
})
