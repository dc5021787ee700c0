import { hash as argon2id, verify } from '@node-rs/argon2'
import { hash, randomBytes } from 'node:crypto'
import { recent } from '../../application/recent.ts'
import { makeGate } from './gate.ts'

/** Until when it counts; a promise while it is being found. */
type Verdict = { readonly until: number; isRight: false | Promise<boolean> }

const verdictLifetimeMs = 60_000
const verdictsKept = 10_000
/** So that of the four threads of the pool one is left for all else. */
const checksAtOnce = 3

/** Argon2id with OWASP's minimum parameters, on the thread pool. */
export const hashSecret = (secret: string): Promise<string> => argon2id(secret)

/** Whether that is the slow hash of a secret; takes as long as to make it. */
export const isHashOf = (slowHash: string, secret: string): Promise<boolean> =>
  verify(slowHash, secret)

/**
 * Checks secrets against slow hashes. A verdict is remembered for a minute under a keyed fast hash of secret and slow
 * hash, a right one for a minute after its last use, so that a busy client pays once, a changed secret counts at once,
 * and no secret is kept. Without a slow hash it takes as long and says no, the first time and again, for each name that
 * is claimed. Those from whom secrets come take turns: one who guesses many waits alone.
 */
export const makeSecretCheck = (machineNow: () => number) => {
  const key = randomBytes(32).toString('hex')
  const gate = makeGate(checksAtOnce)
  /** Until when secrets count that were right: apart, for anybody can make any number of others. */
  const right = recent<string, number>(verdictsKept)
  const verdicts = new Map<string, Verdict>()
  const hashOfNobody = hashSecret(randomBytes(32).toString('hex'))

  const forgetOldest = (): void => {
    for (const name of verdicts.keys()) {
      verdicts.delete(name)
      if (verdicts.size <= verdictsKept) return
    }
  }

  const check = (
    secret: string,
    against: string,
    claimed: string,
    from: string,
  ): boolean | Promise<boolean> => {
    const name = hash('sha256', `${key}${against}\n${claimed}\n${secret}`)
    const now = machineNow()
    const until = now + verdictLifetimeMs
    if (now < (right.get(name) ?? now)) {
      right.set(name, until)
      return true
    }
    const known = verdicts.get(name)
    if (known && now < known.until) return known.isRight
    const checking = gate(() => verify(against, secret), from)
    const verdict: Verdict = { until, isRight: checking }
    verdicts.delete(name)
    verdicts.set(name, verdict)
    if (verdicts.size > verdictsKept) forgetOldest()
    checking.then(
      (isRight) => {
        if (!isRight) return void (verdict.isRight = false)
        verdicts.delete(name)
        right.set(name, until)
      },
      // What could not be checked is no verdict.
      () => verdicts.delete(name),
    )
    return checking
  }

  return (
    secret: string,
    slowHash: string | null,
    claimed = '',
    from = '',
  ): boolean | Promise<boolean> =>
    slowHash === null
      ? hashOfNobody.then((hash) => check(secret, hash, claimed, from))
      : check(secret, slowHash, '', from)
}
