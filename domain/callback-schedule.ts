import { isAhead, type Instant, type Seconds } from './time.ts'

const retryDelays: readonly Seconds[] = [5, 30, 120, 600, 1800, 3600, 3600, 3600, 7200]
const slowestDelay: Seconds = 14_400
const retriesEndAfter: Seconds = 259_200

const leastDelayMs = (attempts: number, retryAfterMs: number): number =>
  Math.max((retryDelays[attempts - 1] ?? slowestDelay) * 1000, retryAfterMs)

/** Back-off with up to 20 % jitter, never before the receiver's time; null after the last. */
export const nextAttemptAt = (
  attempts: number,
  firstAttemptAt: Instant,
  at: Instant,
  jitter: number,
  retryAfterMs = 0,
): Instant | null => {
  const next = at + Math.round(leastDelayMs(attempts, retryAfterMs) * (1 + jitter / 5))
  return next > firstAttemptAt + retriesEndAfter * 1000 ? null : next
}

/** The jitter of a retry at that time, from 0 to 1. */
export const jitterOf = (attempts: number, at: Instant, next: Instant, retryAfterMs = 0): number =>
  Math.min(1, Math.max(0, ((next - at) / leastDelayMs(attempts, retryAfterMs) - 1) * 5))

/**
 * Whether it waits longer than any schedule allows, because the clock was ahead and was set back.
 */
export const waitsTooLong = (
  {
    attempts,
    nextAttemptAt: next,
    retryAfterMs = 0,
  }: {
    readonly attempts: number
    readonly nextAttemptAt: Instant
    readonly retryAfterMs?: number
  },
  at: Instant,
): boolean => {
  const delay = attempts === 0 ? 0 : (retryDelays[attempts - 1] ?? slowestDelay)
  return isAhead(next - Math.max(delay * 1000, retryAfterMs) * 1.2, at)
}
