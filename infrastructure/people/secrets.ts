import { hash } from 'node:crypto'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { counted, generationalCache } from '../../application/generational-cache.ts'
import { andThen, type MaybePromise } from '../../application/maybe-promise.ts'
import { hashSlowly, verifySlowly } from '../keys/slow-crypto.ts'
import { networkOf } from '../networks.ts'
import { isSameText } from './id-tokens.ts'
import { randomBytes } from '../../application/machine.ts'

const verdictLifetimeMs = 60_000

const verdictsKept = 10_000

/** Uses two of the pool's four threads; payers' sign-ins use a third. */
const checks = { concurrent: 2, maxWaitingPerKey: 1_000, maxWaiting: 10_000 }

/** Argon2id with OWASP's minimum parameters, on the thread pool. */
export const hashSecret = (secret: string): Promise<string> => hashSlowly(secret)

/** Whether this is the slow hash of the secret. As slow as hashing. */
export const isHashOf = (slowHash: string, secret: string): Promise<boolean> =>
  verifySlowly(slowHash, secret)

/** So many characters, and so many different ones, have those that were made at random. */
const unguessable = { characters: 32, different: 10 }

/**
 * A keyed digest of a secret that nobody can guess, to check it without its slow hash; undefined
 * for a secret that may be guessed. It is good with that hash only.
 */
export const makeSecretDigests = (derive: (...parts: readonly string[]) => string) => {
  const digest = (slowHash: string, secret: string): string => derive('secret', slowHash, secret)
  return {
    digestSecret: (slowHash: string, secret: string): string | undefined =>
      /^\S+$/.test(secret) &&
      secret.length >= unguessable.characters &&
      new Set(secret).size >= unguessable.different
        ? digest(slowHash, secret)
        : undefined,
    isDigestOf: (secret: string, slowHash: string | null, kept: string | undefined): boolean =>
      isSameText(digest(slowHash ?? '', secret), kept ?? '') && slowHash !== null,
  }
}

/**
 * Checks secrets against slow hashes, fairly by network. Verdicts are cached for a minute under a
 * keyed fast hash; each use extends a positive one. Without a slow hash it takes as long and
 * returns false. @throws Refusal too_much_is_waiting
 */
export const makeSecretCheck = (machineNow: () => number) => {
  const key = randomBytes(32).toString('hex')
  const limited = concurrencyLimit(checks)
  /** Separate caches, because anybody can fill the one for wrong secrets. */
  const right = counted('secrets', generationalCache<string, number>(verdictsKept))
  const wrong = generationalCache<string, number>(verdictsKept)
  const underWay = new Map<string, Promise<boolean>>()
  let hashOfNobody: MaybePromise<string> = hashSecret(randomBytes(32).toString('hex')).then(
    (made) => (hashOfNobody = made),
  )

  const known = (name: string): boolean | undefined => {
    const now = machineNow()
    if (now < (right.get(name) ?? now)) {
      right.set(name, now + verdictLifetimeMs)
      return true
    }
    return now < (wrong.get(name) ?? now) ? false : undefined
  }

  const check = (
    secret: string,
    against: string,
    claimed: string,
    from: string,
  ): boolean | Promise<boolean> => {
    const name = hash('sha256', `${key}${against}\n${claimed}\n${secret}`)
    const verdict = known(name)
    if (verdict !== undefined) return verdict
    const whose = networkOf(from)
    // Concurrent equal checks share one.
    const asking = `${whose} ${name}`
    const before = underWay.get(asking)
    if (before) return before
    const find = async (): Promise<boolean> => {
      const isRight = known(name) ?? (await verifySlowly(against, secret))
      const verdicts = isRight ? right : wrong
      verdicts.set(name, machineNow() + verdictLifetimeMs)
      return isRight
    }
    const checking = limited(find, whose).finally(() => underWay.delete(asking))
    underWay.set(asking, checking)
    return checking
  }

  return (
    secret: string,
    slowHash: string | null,
    claimed = '',
    from = '',
  ): boolean | Promise<boolean> =>
    slowHash === null
      ? andThen(hashOfNobody, (made) => check(secret, made, claimed, from))
      : check(secret, slowHash, '', from)
}
