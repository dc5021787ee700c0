import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { requestLimit } from '../../http/request-queue.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

test('given many who wait, their turns come in order, one in each turn of the loop', async () => {
  const inTurn = requestLimit({ concurrent: 4, maxWaiting: 3_000 })
  const begun: number[] = []
  const all = numbers(3_000).map((number) => inTurn(() => begun.push(number)))
  for (let turn = 1; turn <= 10; turn++) {
    await nextTurn()
    expect(begun.length).toBeLessThanOrEqual(turn)
  }
  await Promise.all(all)
  expect(begun).toEqual(numbers(3_000))
})

test('given work that takes its time, when more comes, then only so many are at work', async () => {
  const inTurn = requestLimit({ concurrent: 2, maxWaiting: 10 })
  const ends: (() => void)[] = []
  const slow = () => new Promise<void>((resolve) => ends.push(resolve))
  const all = numbers(5).map(() => inTurn(slow))
  for (let done = 0; done < 5; done++) {
    while (ends.length < Math.min(5, done + 2)) await nextTurn()
    await nextTurn()
    expect(ends).toHaveLength(Math.min(5, done + 2))
    ends[done]?.()
  }
  await Promise.all(all)
})

test('given too many waiting requests, then another gets a Retry-After', async () => {
  const inTurn = requestLimit({ concurrent: 1, maxWaiting: 2 })
  const all = [inTurn(() => 'first'), inTurn(() => 'second')]
  await expect(inTurn(() => 'third')).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '2' },
  })
  expect(await Promise.all(all)).toEqual(['first', 'second'])
  expect(await inTurn(() => 'fourth')).toBe('fourth')
})

test('given work that fails, when it has, then its place is free again', async () => {
  const inTurn = requestLimit({ concurrent: 1, maxWaiting: 10 })
  const failing = () => Promise.reject(new Error('it failed'))
  await expect(inTurn(failing)).rejects.toThrow('it failed')
  await expect(inTurn(failing)).rejects.toThrow('it failed')
  expect(await inTurn(() => 'works')).toBe('works')
})
