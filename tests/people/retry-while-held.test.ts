import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreHeld, StoreUnavailable } from '../../application/event-store.ts'
import { retryWhileHeld } from '../../infrastructure/retry-while-held.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Calls a store that always fails like this; returns the number of calls, and the duration. */
const askInVain = async (failure: Error) => {
  let asked = 0
  let isOver = false
  const since = performance.now()
  const asking = retryWhileHeld(() => {
    asked += 1
    return Promise.reject(failure)
  })
  const refused = expect(asking).rejects.toBe(failure)
  void refused.finally(() => (isOver = true))
  for (await nextTurn(); !isOver; await nextTurn()) vi.advanceTimersByTime(20)
  await refused
  return { asked, waited: performance.now() - since }
}

test('given a store that is held for good, it is asked every 20 ms for five seconds', async () => {
  expect(await askInVain(new StoreHeld('held'))).toEqual({ asked: 251, waited: 5_000 })
})

test('given a store that is away, when it is asked, then it is asked once', async () => {
  expect(await askInVain(new StoreUnavailable('away'))).toEqual({ asked: 1, waited: 0 })
})
