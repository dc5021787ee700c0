import type { Instant, Seconds } from '../domain/time.ts'
import { generationalCache } from './generational-cache.ts'
import { setImmediate, setTimeout } from './machine.ts'

/** Lets pending events run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Waits one millisecond. */
export const nextMoment = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1))

type Budget = {
  readonly burstMs: number
  /** The share of elapsed time that becomes available again. */
  readonly share: number
}

const keysKept = 10_000

/** Limits the work time per key. Work is counted when it is done. */
export const timeBudget = ({ burstMs, share }: Budget, elapsed: () => Instant) => {
  const spent = generationalCache<string, { readonly ms: number; readonly at: Instant }>(keysKept)
  const spentBy = (key: string): number => {
    const known = spent.get(key)
    return known ? Math.max(0, known.ms - (elapsed() - known.at) * share) : 0
  }
  return {
    /** Milliseconds that the share of elapsed time has not made up for yet. */
    spentBy,
    /** 0 if there is time left. */
    waitOf: (key: string): Seconds =>
      Math.ceil(Math.max(0, spentBy(key) - burstMs) / share / 1_000),
    spend: (key: string, ms: number): void => {
      spent.set(key, { ms: spentBy(key) + ms, at: elapsed() })
    },
  }
}
