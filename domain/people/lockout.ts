import { refuse } from '../refusal.ts'
import { secondsUntil, stillLasts, type Instant, type Seconds } from '../time.ts'

/** Failed attempts to sign in since the last success, and until when further ones are refused. */
export type Lockout = { readonly failures: number; readonly lockedUntil: Instant }

export const unlocked: Lockout = { failures: 0, lockedUntil: 0 }

const waits: readonly Seconds[] = [0, 0, 30, 120, 900, 3600, 3600, 3600, 3600]
const longestWait: Seconds = 86_400

/**
 * Two mistakes are free; then each makes the next attempt wait longer, up to a day: some ten guesses on the first day
 * and one on each day after it.
 */
export const afterFailure = ({ failures }: Lockout, at: Instant): Lockout => ({
  failures: failures + 1,
  lockedUntil: at + (waits[failures] ?? longestWait) * 1000,
})

/** A clock that was ahead locks nobody out until then. @throws Refusal sign_in_is_locked */
export const checkLockout = ({ failures, lockedUntil }: Lockout, at: Instant): void => {
  const wait = waits[failures - 1] ?? longestWait
  if (stillLasts(lockedUntil, wait, at)) refuse('sign_in_is_locked', secondsUntil(lockedUntil, at))
}
