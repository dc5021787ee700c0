import { refuse } from '../refusal.ts'
import { secondsUntil, stillLasts, type Instant, type Seconds } from '../time.ts'

/** Failures since the last successful sign-in. */
export type Lockout = { readonly failures: number; readonly lockedUntil: Instant }

export const unlocked: Lockout = { failures: 0, lockedUntil: 0 }

const lockSeconds: readonly Seconds[] = [0, 0, 30, 120, 900, 3600, 3600, 3600, 3600]
const maxLockSeconds: Seconds = 86_400

/**
 * Two failures are free, then waits grow to a day: about ten guesses on the first day, one a day
 * after that.
 */
export const afterFailure = ({ failures }: Lockout, at: Instant): Lockout => ({
  failures: failures + 1,
  lockedUntil: at + (lockSeconds[failures] ?? maxLockSeconds) * 1000,
})

/** A lock from a clock that was ahead does not count. @throws Refusal sign_in_is_locked */
export const checkLockout = ({ failures, lockedUntil }: Lockout, at: Instant): void => {
  const wait = lockSeconds[failures - 1] ?? maxLockSeconds
  if (stillLasts(lockedUntil, wait, at)) refuse('sign_in_is_locked', secondsUntil(lockedUntil, at))
}
