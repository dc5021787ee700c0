import { afterFailure, isLocked, unlocked, type Lockout } from '../../domain/people/lockout.ts'
import { refuse } from '../../domain/refusal.ts'

const strangersKept = 10_000

const forgetOldest = (map: Map<string, unknown>, kept: number): void => {
  for (const name of map.keys()) {
    if (map.size <= kept) return
    map.delete(name)
  }
}

/**
 * Counts mistakes with phone numbers that nobody has by the rules for payers, so that the answers do not tell who is
 * one. Kept in memory only: strangers write nothing into the log.
 */
export const makeStrangers = () => {
  const lockouts = new Map<string, Lockout>()
  return {
    check: (identifier: string, at: number): void => {
      if (isLocked(lockouts.get(identifier) ?? unlocked, at)) refuse('sign_in_is_locked')
    },
    fail: (identifier: string, at: number): void => {
      const after = afterFailure(lockouts.get(identifier) ?? unlocked, at)
      lockouts.delete(identifier)
      lockouts.set(identifier, after)
      forgetOldest(lockouts, strangersKept)
    },
  }
}

type Count = { readonly count: number; readonly until: number }

/** Refuses an address that has been counted too often in a while. */
export const makeThrottle = (most: number, periodMs: number) => {
  const counts = new Map<string, Count>()
  const countOf = (address: string, at: number): Count => {
    const known = counts.get(address)
    return known && at < known.until ? known : { count: 0, until: at + periodMs }
  }
  return {
    check: (address: string, at: number): void => {
      if (countOf(address, at).count >= most) refuse('sign_in_is_locked')
    },
    count: (address: string, at: number): void => {
      const { count, until } = countOf(address, at)
      counts.delete(address)
      counts.set(address, { count: count + 1, until })
      forgetOldest(counts, strangersKept)
    },
  }
}
