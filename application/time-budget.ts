import type { Instant, Seconds } from '../domain/time.ts'
import { generationalCache } from './generational-cache.ts'

type Budget = {
  readonly burstMs: number
  /** Of each millisecond that passes, the part that may be spent again. */
  readonly share: number
}

const keysKept = 10_000

/** Limits how long each key may have work done for it. Work is counted once it is done. */
export const timeBudget = ({ burstMs, share }: Budget, elapsed: () => Instant) => {
  const spent = generationalCache<string, { readonly ms: number; readonly at: Instant }>(keysKept)
  const spentBy = (key: string): number => {
    const known = spent.get(key)
    return known ? Math.max(0, known.ms - (elapsed() - known.at) * share) : 0
  }
  return {
    /** 0 when there is something left. */
    waitOf: (key: string): Seconds =>
      Math.ceil(Math.max(0, spentBy(key) - burstMs) / share / 1_000),
    spend: (key: string, ms: number): void => {
      spent.set(key, { ms: spentBy(key) + ms, at: elapsed() })
    },
  }
}
