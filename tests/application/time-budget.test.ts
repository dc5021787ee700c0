import { expect, test } from 'vitest'
import { timeBudget } from '../../application/time-budget.ts'

const started = () => {
  let now = 0
  const budget = timeBudget({ burstMs: 10_000, share: 0.2 }, () => now)
  return { ...budget, pass: (ms: number) => void (now += ms) }
}

test('who has spent too much waits until a share of the time has made up for it', () => {
  const { waitOf, spend, pass } = started()
  spend('a', 10_000)
  expect(waitOf('a')).toBe(0)
  spend('a', 1_000)
  // 1,000 ms are regained in 5,000 ms.
  expect(waitOf('a')).toBe(5)
  pass(4_000)
  expect(waitOf('a')).toBe(1)
  pass(1_000)
  expect(waitOf('a')).toBe(0)
})

test('a key below its share never waits, and keys do not delay each other', () => {
  const { waitOf, spend, pass } = started()
  spend('b', 99_000)
  for (let turn = 0; turn < 100; turn++) {
    spend('a', 1_000)
    pass(5_000)
    expect(waitOf('a')).toBe(0)
  }
  expect(waitOf('b')).toBe(0)
})
