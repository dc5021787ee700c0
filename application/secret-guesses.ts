import { refuse } from '../domain/refusal.ts'
import { secondsUntil, stillLasts, type Instant, type Seconds } from '../domain/time.ts'
import { generationalCache } from './generational-cache.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'
import type { SecurityLog } from './security-log.ts'

/** Number of free failures; then waits double, from one second on. */
type Tolerance = { readonly free: number; readonly longest: Seconds }
const tolerance = {
  user: { free: 10, longest: 60 },
  address: { free: 50, longest: 900 },
} as const satisfies Record<string, Tolerance>

/** Failures are forgotten after this time without another one. */
const rememberedMs = 3_600_000
/** How long an authenticated caller is not slowed down at that address. */
const trustedForMs = 86_400_000
const namesKept = 10_000
/** No real name is longer; longer ones share one count. */
const longestName = 200

type Failures = { readonly count: number; readonly at: Instant }

const waitAfter = ({ free, longest }: Tolerance, count: number): Seconds =>
  count < free ? 0 : Math.min(longest, 2 ** Math.min(count - free, 20))

const makeCounts = (allowed: Tolerance) => {
  const counts = generationalCache<string, Failures>(namesKept)
  const find = (name: string, now: Instant): Failures => {
    const known = counts.get(name)
    return known && stillLasts(known.at + rememberedMs, rememberedMs / 1000, now)
      ? known
      : { count: 0, at: now }
  }
  return {
    /** Until when this name is blocked. */
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

/** Checks, without a slow hash, a secret of high entropy; false for any other. */
type Prove = () => MaybePromise<boolean>

/** Whose secret is guessed, for the security log. */
type Guessed = { readonly actor: string; readonly merchant?: string | undefined }

type Needs = {
  readonly machineNow: () => Instant
  /** Addresses that one client can choose from share a network. */
  readonly networkOf: (address: string) => string
  readonly securityLog: SecurityLog
}

/** Callers by name and address that have authenticated. */
const makeTrust = ({ machineNow, networkOf }: Pick<Needs, 'machineNow' | 'networkOf'>) => {
  const trusted = generationalCache<string, Instant>(namesKept)

  /** How much longer the trust lasts. */
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

/** Counts failures, and refuses during a wait. */
const makeWaits = ({ machineNow, networkOf, securityLog }: Needs) => {
  const byName = makeCounts(tolerance.user)
  const byAddress = makeCounts(tolerance.address)
  /** Of a name from one network. */
  const byPair = makeCounts(tolerance.user)
  const pairOf = (name: string, address: string): string => `${name} ${networkOf(address)}`

  const count = (name: string, address: string, by: 1 | -1): void => {
    const now = machineNow()
    byName.add(name, by, now)
    byAddress.add(networkOf(address), by, now)
    byPair.add(pairOf(name, address), by, now)
  }

  /** Undefined if there is nothing to wait for. */
  const findWait = (name: string, address: string) => {
    const now = machineNow()
    const ofName = byName.waitsUntil(name, now)
    const ofAddress = byAddress.waitsUntil(networkOf(address), now)
    const until = Math.max(ofName, ofAddress)
    if (until <= now) return undefined
    const ofPair = byPair.waitsUntil(pairOf(name, address), now)
    const reason = ofName > ofAddress ? 'many wrong secrets of it' : 'many wrong secrets from here'
    return {
      isFromElsewhere: Math.max(ofAddress, ofPair) <= now,
      countProof: (by: 1 | -1): void => byPair.add(pairOf(name, address), by, now),
      refuse: (who: () => Guessed): never => {
        securityLog.record({ type: 'locked_out', ...who(), address, reason })
        return refuse('secrets_are_wrong_too_often', secondsUntil(until, now))
      },
    }
  }

  return { count, findWait }
}

type Wait = NonNullable<ReturnType<ReturnType<typeof makeWaits>['findWait']>>

/** Guesses from other networks do not keep out who proves a secret that nobody can guess. */
const makeProofs =
  ({ renew }: ReturnType<typeof makeTrust>) =>
  (
    name: string,
    address: string,
    wait: Wait,
    who: () => Guessed,
    prove: Prove | undefined,
  ): MaybePromise<boolean> => {
    if (!prove || !wait.isFromElsewhere) return wait.refuse(who)
    wait.countProof(1)
    return andThen(prove(), (isProved) => {
      if (!isProved) return wait.refuse(who)
      wait.countProof(-1)
      renew(name, address, 0)
      return true
    })
  }

/**
 * Slows down guessing of secrets, per name and per address (interface 3.7). Unknown names count
 * like known ones. In memory only: strangers must not write to the log.
 */
export const makeSecretGuesses = ({ machineNow, networkOf, securityLog }: Needs) => {
  const trust = makeTrust({ machineNow, networkOf })
  const { count, findWait } = makeWaits({ machineNow, networkOf, securityLog })
  const duringWait = makeProofs(trust)
  /** Checks in flight that are already counted: equal ones share a promise. */
  const counted = new WeakSet<Promise<boolean>>()

  const failed = (address: string, who: () => Guessed): false => {
    const reason = 'wrong secret'
    securityLog.record({ type: 'authentication_failed', ...who(), address, reason })
    return false
  }

  /**
   * Checks a secret, unless there were too many wrong ones. An attempt counts from its start, so
   * that concurrent attempts are no bypass. @throws Refusal secrets_are_wrong_too_often
   */
  return (
    claimed: string,
    address: string = '',
    verify: () => MaybePromise<boolean>,
    who: () => Guessed,
    prove?: Prove,
  ): MaybePromise<boolean> => {
    const name = claimed.length > longestName ? 'too long' : claimed
    const trustedMs = trust.lastsMs(name, address)
    const wait = trustedMs > 0 ? undefined : findWait(name, address)
    if (wait) return duringWait(name, address, wait, who, prove)
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
 * Takes equally long without a hash, so that timing does not reveal who exists. Checks of different
 * clients take turns.
 */
export type VerifySecret = (
  secret: string,
  hash: string | null,
  claimed: string,
  from: string | undefined,
) => boolean | Promise<boolean>

export type SecretGuesses = ReturnType<typeof makeSecretGuesses>
