import { refuse } from '../domain/refusal.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { fairQueue, type Path } from './fair-queue.ts'

export type ConcurrencyLimits = {
  /** Jobs that run at the same time. */
  readonly concurrent: number
  readonly maxWaiting: number
  /** Waiting jobs of one key; by default only the total counts. */
  readonly maxWaitingPerKey?: number
}

type Options = {
  /** Starts one job per turn of the event loop, so that other work runs in between. */
  readonly onePerTurn?: boolean
  /** Throws when too many jobs are waiting. */
  readonly refuseMore?: () => never
}

type Limited = <Result>(work: () => MaybePromise<Result>, key?: string | Path) => Promise<Result>

/**
 * Runs a limited number of jobs at a time. Waiting jobs of one key run in order, and keys take
 * turns (`fairQueue`), so that many jobs of one key delay only that key. @throws Refusal
 * too_much_is_waiting, unless `refuseMore` throws something else
 */
export const concurrencyLimit = (
  { concurrent, maxWaiting, maxWaitingPerKey }: ConcurrencyLimits,
  { onePerTurn = false, refuseMore = () => refuse('too_much_is_waiting') }: Options = {},
): Limited => {
  const waiting = fairQueue<() => void>({ maxWaiting, maxWaitingPerKey })
  let running = 0
  let isScheduled = false

  const startNext = (): void => {
    isScheduled = false
    if (running === concurrent) return
    const next = waiting.take()
    if (!next) return
    running += 1
    next.item()
    schedule()
  }

  const schedule = (): void => {
    if (isScheduled || running === concurrent || waiting.size() === 0) return
    if (!onePerTurn) return startNext()
    isScheduled = true
    setImmediate(startNext)
  }

  const wait = (key: string | Path): Promise<void> =>
    new Promise((resolve) => {
      if (!waiting.add(typeof key === 'string' ? [key] : key, resolve)) refuseMore()
      schedule()
    })

  return async (work, key = '') => {
    if (onePerTurn || running === concurrent) await wait(key)
    else running += 1
    try {
      return await work()
    } finally {
      running -= 1
      schedule()
    }
  }
}

/** A separate limit for each key, kept while the key has jobs. */
export const concurrencyLimitPerKey = (make: () => Limited) => {
  const limits = new Map<string, { readonly limited: Limited; jobs: number }>()
  return async <Result>(key: string, work: () => MaybePromise<Result>): Promise<Result> => {
    const limit = limits.get(key) ?? { limited: make(), jobs: 0 }
    limits.set(key, limit)
    limit.jobs += 1
    try {
      return await limit.limited(work)
    } finally {
      limit.jobs -= 1
      if (limit.jobs === 0) limits.delete(key)
    }
  }
}
