import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { concurrencyLimit, type ConcurrencyLimits } from '../../application/concurrency-limit.ts'

/** Work started through a limit, which ends on command. */
const slowWork = (concurrent: number, limits: Partial<ConcurrencyLimits> = {}) => {
  const limited = concurrencyLimit({ concurrent, maxWaiting: 100, ...limits })
  const begun: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const ask = (key: string): Promise<void> =>
    limited(() => {
      begun.push(key)
      return new Promise((resolve, reject) => ends.push((e) => (e ? reject(e) : resolve())))
    }, key)
  /** Ends the work that started first. */
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

test('waiting requesters take turns, each with their requests in order', async () => {
  const { begun, ask, endOne } = slowWork(1)
  for (const key of ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'a']) void ask(key)
  for (let n = 0; n < 8; n++) await endOne()
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a'])
})

test('who has too much waiting is refused, and so are all when too much waits in all', async () => {
  const { begun, ask, endOne } = slowWork(1, { maxWaitingPerKey: 2, maxWaiting: 3 })
  const refused = { code: 'too_much_is_waiting' }
  for (const key of ['a', 'a', 'a']) void ask(key)
  await expect(ask('a')).rejects.toMatchObject(refused)
  void ask('b')
  await expect(ask('c')).rejects.toMatchObject(refused)
  for (let n = 0; n < 4; n++) await endOne()
  expect(begun).toEqual(['a', 'a', 'b', 'a'])
  void ask('c')
  expect(begun).toHaveLength(5)
})
