import { generationalCache } from '../../application/generational-cache.ts'
import { refuse } from '../../domain/refusal.ts'
import { secondsUntil, stillLasts } from '../../domain/time.ts'
import { networksOf } from '../networks.ts'

const networksKept = 10_000

type Count = { readonly count: number; readonly until: number }

/**
 * Limits how often a network may be counted per period: first the narrowest, then those around it
 * as far as they have limits.
 */
export const makeThrottle = (mostOf: number | readonly number[], periodMs: number) => {
  const limits = [mostOf].flat()
  const counts = generationalCache<string, Count>(networksKept)
  /** Each network that has a limit. */
  const limitedOf = (address: string) =>
    networksOf(address)
      .toReversed()
      .flatMap((network, place) => {
        const most = limits[place]
        return most === undefined ? [] : [{ network, most }]
      })
  const countOf = (network: string, at: number): Count => {
    const known = counts.get(network)
    return known && stillLasts(known.until, periodMs / 1000, at)
      ? known
      : { count: 0, until: at + periodMs }
  }
  return {
    check: (address: string, at: number): void => {
      for (const { network, most } of limitedOf(address)) {
        const { count, until } = countOf(network, at)
        if (count >= most) refuse('sign_in_is_locked', secondsUntil(until, at))
      }
    },
    count: (address: string, at: number): void => {
      for (const { network } of limitedOf(address)) {
        const { count, until } = countOf(network, at)
        counts.set(network, { count: count + 1, until })
      }
    },
  }
}
