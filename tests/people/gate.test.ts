import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeGate } from '../../infrastructure/people/gate.ts'

/** Work that is begun through a gate and ends when it is told to. */
const slowWork = (most: number) => {
  const gate = makeGate(most)
  const begun: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const ask = (whose: string): Promise<void> =>
    gate(() => {
      begun.push(whose)
      return new Promise((resolve, reject) => ends.push((e) => (e ? reject(e) : resolve())))
    }, whose)
  /** Ends what was begun first. */
  const endOne = async (error?: Error): Promise<void> => {
    ends.shift()?.(error)
    await nextTurn()
  }
  return { begun, ask, endOne }
}

test('at most so many are at work, and what fails leaves its place', async () => {
  const { begun, ask, endOne } = slowWork(2)
  const all = Promise.allSettled(Array.from({ length: 5 }, () => ask('a')))
  await nextTurn()
  expect(begun).toHaveLength(2)
  for (let ended = 1; ended <= 5; ended++) {
    await endOne(ended % 2 ? new Error('failed') : undefined)
    expect(begun).toHaveLength(Math.min(5, ended + 2))
  }
  expect((await all).filter(({ status }) => status === 'rejected')).toHaveLength(3)
  void ask('b')
  void ask('b')
  void ask('b')
  await nextTurn()
  expect(begun).toHaveLength(7)
})

test('those who wait take turns, each with what they asked for in order', async () => {
  const { begun, ask, endOne } = slowWork(1)
  for (const whose of ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'a']) void ask(whose)
  for (let n = 0; n < 8; n++) await endOne()
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a'])
})
