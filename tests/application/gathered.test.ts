import { expect, test } from 'vitest'
import { gathered } from '../../infrastructure/background-work.ts'

const timers = () => {
  let now = 0
  let timer: { readonly at: number; readonly act: () => void } | undefined
  return {
    elapsed: () => now,
    after: (milliseconds: number, act: () => void) => {
      timer = { at: now + milliseconds, act }
      return () => (timer = undefined)
    },
    pass: (milliseconds: number): void => {
      now += milliseconds
      if (!timer || timer.at > now) return
      const { act } = timer
      timer = undefined
      act()
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
