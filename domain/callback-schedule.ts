import { isAhead, type Instant, type Seconds } from './time.ts'

const retryDelays: readonly Seconds[] = [5, 30, 120, 600, 1800, 3600, 3600, 3600, 7200]
const slowestDelay: Seconds = 14_400
const retriesEndAfter: Seconds = 259_200

/** Exponential back-off with up to 20 % jitter; null after the last attempt. */
export const nextAttemptAt = (
  attempts: number,
  firstAttemptAt: Instant,
  at: Instant,
  jitter: number,
): Instant | null => {
  const delay = retryDelays[attempts - 1] ?? slowestDelay
  const next = at + Math.round(delay * 1000 * (1 + jitter / 5))
  return next > firstAttemptAt + retriesEndAfter * 1000 ? null : next
}

/**
 * Whether it waits longer than any schedule allows, because the clock was ahead and was set back.
 */
export const waitsTooLong = (
  { attempts, nextAttemptAt: next }: { readonly attempts: number; readonly nextAttemptAt: Instant },
  at: Instant,
): boolean => {
  const delay = attempts === 0 ? 0 : (retryDelays[attempts - 1] ?? slowestDelay)
  return isAhead(next - delay * 1200, at)
}
