import { refuse } from '../domain/refusal.ts'
import { secondsUntil, stillLasts, type Instant, type Seconds } from '../domain/time.ts'
import { generationalCache } from './generational-cache.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { SecurityLog } from './security-log.ts'

/** How many failures are free; then waits double from one second. */
type Patience = { readonly free: number; readonly longest: Seconds }
const patience = {
  user: { free: 10, longest: 60 },
  address: { free: 50, longest: 900 },
} as const satisfies Record<string, Patience>

/** Without a failure for so long, earlier ones do not count. */
const rememberedMs = 3_600_000
/** How long a caller that has authenticated from an address is not slowed down there. */
const trustedForMs = 86_400_000
const namesKept = 10_000
/** Longer names are of nobody, and share one count. */
const longestName = 200

type Failures = { readonly count: number; readonly at: Instant }

const waitAfter = ({ free, longest }: Patience, count: number): Seconds =>
  count < free ? 0 : Math.min(longest, 2 ** Math.min(count - free, 20))

const makeCounts = (allowed: Patience) => {
  const counts = generationalCache<string, Failures>(namesKept)
  const find = (name: string, now: Instant): Failures => {
    const known = counts.get(name)
    return known && stillLasts(known.at + rememberedMs, rememberedMs / 1000, now)
      ? known
      : { count: 0, at: now }
  }
  return {
    /** Until when nothing is checked for this name. */
    waitsUntil: (name: string, now: Instant): Instant => {
      const { count, at } = find(name, now)
      return at + waitAfter(allowed, count) * 1000
    },
    add: (name: string, by: 1 | -1, now: Instant): void => {
      const count = Math.max(0, find(name, now).count + by)
      counts.set(name, { count, at: now })
    },
  }
}

/** Whose secret is guessed, for the security log. */
type Guessed = { readonly actor: string; readonly merchant?: string | undefined }

type Needs = {
  readonly machineNow: () => Instant
  /** Addresses that one client may choose from count as one. */
  readonly networkOf: (address: string) => string
  readonly securityLog: SecurityLog
}

/** Callers by name and address that have authenticated. */
const makeTrust = ({ machineNow, networkOf }: Pick<Needs, 'machineNow' | 'networkOf'>) => {
  const trusted = generationalCache<string, Instant>(namesKept)

  /** How long it still lasts. */
  const lastsMs = (name: string, address: string): number => {
    const until = trusted.get(`${name} ${address}`) ?? trusted.get(`${name} ${networkOf(address)}`)
    return until === undefined ? 0 : until - machineNow()
  }

  const renew = (name: string, address: string, lastsMs: number): void => {
    if (lastsMs > trustedForMs / 2) return
    const until = machineNow() + trustedForMs
    trusted.set(`${name} ${address}`, until)
    trusted.set(`${name} ${networkOf(address)}`, until)
  }

  return { lastsMs, renew }
}

/** Counts failures, and refuses while a wait lasts. */
const makeWaits = ({ machineNow, networkOf, securityLog }: Needs) => {
  const byName = makeCounts(patience.user)
  const byAddress = makeCounts(patience.address)

  const count = (name: string, address: string, by: 1 | -1): void => {
    const now = machineNow()
    byName.add(name, by, now)
    byAddress.add(networkOf(address), by, now)
  }

  const checkWaits = (name: string, address: string, who: () => Guessed): void => {
    const now = machineNow()
    const ofName = byName.waitsUntil(name, now)
    const ofAddress = byAddress.waitsUntil(networkOf(address), now)
    const until = Math.max(ofName, ofAddress)
    if (until <= now) return
    const reason = ofName > ofAddress ? 'many wrong secrets of it' : 'many wrong secrets from here'
    securityLog.record({ type: 'locked_out', ...who(), address, reason })
    refuse('secrets_are_wrong_too_often', secondsUntil(until, now))
  }

  return { count, checkWaits }
}

/**
 * Slows down who guesses secrets, by name and by address (interface 3.7). Unknown names are counted
 * as known ones are. In memory only: strangers must not write to the log.
 */
export const makeSecretGuesses = ({ machineNow, networkOf, securityLog }: Needs) => {
  const trust = makeTrust({ machineNow, networkOf })
  const { count, checkWaits } = makeWaits({ machineNow, networkOf, securityLog })
  /** Checks under way that are counted: equal questions share one. */
  const counted = new WeakSet<Promise<boolean>>()

  const failed = (address: string, who: () => Guessed): false => {
    const reason = 'wrong secret'
    securityLog.record({ type: 'authentication_failed', ...who(), address, reason })
    return false
  }

  /**
   * Checks a secret, unless too many were wrong. An attempt counts from its beginning, so that many
   * at once are no way around. @throws Refusal secrets_are_wrong_too_often
   */
  return (
    claimed: string,
    address: string = '',
    verify: () => MaybePromise<boolean>,
    who: () => Guessed,
  ): MaybePromise<boolean> => {
    const name = claimed.length > longestName ? 'too long' : claimed
    const trustedMs = trust.lastsMs(name, address)
    if (trustedMs <= 0) checkWaits(name, address, who)
    const verdict = verify()
    if (verdict === true) {
      trust.renew(name, address, trustedMs)
      return true
    }
    if (verdict === false) {
      count(name, address, 1)
      return failed(address, who)
    }
    const isFirst = !counted.has(verdict)
    counted.add(verdict)
    if (isFirst) count(name, address, 1)
    return verdict.then(
      (isRight) => {
        if (isRight && isFirst) count(name, address, -1)
        if (isRight) trust.renew(name, address, trustedMs)
        return isRight || failed(address, who)
      },
      (error: unknown) => {
        if (isFirst) count(name, address, -1)
        throw error
      },
    )
  }
}

/**
 * Takes as long without a hash, so that timing does not tell who exists. Checks of different
 * clients take turns.
 */
export type VerifySecret = (
  secret: string,
  hash: string | null,
  claimed: string,
  from: string | undefined,
) => boolean | Promise<boolean>

export type SecretGuesses = ReturnType<typeof makeSecretGuesses>
