import { refuse } from '../domain/refusal.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { queueByKey, type Path } from './queue-by-key.ts'
import { setImmediate } from './machine.ts'

/** A token bucket: `burst` at once, then `perSecond`. */
export const makeAllowance = (burst: number, perSecond: number, now: () => number) => {
  let left = burst
  let last = now()

  /** False once the bucket is empty. */
  return (spent = 1): boolean => {
    const at = now()
    left = Math.min(burst, left + ((at - last) / 1000) * perSecond) - spent
    last = at
    return left >= 0
  }
}

/** The limit of a key; keys of networks come the widest first, and each has a limit of its own. */
export type MostOf = (key: string, place: number, keys: readonly string[]) => number

/** Counts per key, up to a limit. Who has several keys, such as its networks, counts in each. */
export const limitedCounts = (most: number | MostOf) => {
  const counts = new Map<string, number>()
  const mostOf: MostOf = typeof most === 'number' ? () => most : most
  const listed = (key: string | readonly string[]): readonly string[] =>
    typeof key === 'string' ? [key] : key
  const leave = (key: string): void => {
    const left = (counts.get(key) ?? 0) - 1
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }
  return {
    /** False if one of the keys would be over the limit; then none counts. */
    take: (key: string | readonly string[], by = 1): boolean => {
      const keys = listed(key)
      const sumOf = (one: string): number => (counts.get(one) ?? 0) + by
      if (keys.some((one, place) => sumOf(one) > mostOf(one, place, keys))) return false
      for (const one of keys) counts.set(one, sumOf(one))
      return true
    },
    clear: (): void => counts.clear(),
    leave: (key: string | readonly string[]): void => listed(key).forEach(leave),
  }
}

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
 * turns (`queueByKey`), so that many jobs of one key delay only that key. @throws Refusal
 * too_much_is_waiting, unless `refuseMore` throws something else
 */
export const concurrencyLimit = (
  { concurrent, maxWaiting, maxWaitingPerKey }: ConcurrencyLimits,
  { onePerTurn = false, refuseMore = () => refuse('too_much_is_waiting') }: Options = {},
): Limited => {
  const waiting = queueByKey<() => void>({ maxWaiting, maxWaitingPerKey })
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
