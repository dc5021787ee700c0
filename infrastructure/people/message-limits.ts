import type { Limit } from '../../application/number-proofs.ts'
import type { SecurityLog } from '../../application/security-log.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Log } from '../logs/log.ts'
import { makeThrottle } from './sign-in-guard.ts'

const hourMs = 3_600_000
const perNumber = 5
/** Of an address of IPv4 or a /64, of a /24 or a /56, and of a /48. */
const perNetwork = [100, 100, 200]

/** Country codes of two digits (ITU-T E.164); others but +1 and +7 have three. */
const twoDigits = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** The prefix that messages are charged by: a country, in +1 with its area. */
export const prefixOf = (phone: string): string => {
  if (phone.startsWith('1')) return phone.slice(0, 4)
  if (phone.startsWith('7')) return '7'
  return phone.slice(0, twoDigits.test(phone) ? 2 : 3)
}

type Needs = {
  readonly perHour: number
  readonly log: Pick<Log, 'error'>
  readonly securityLog: SecurityLog
}

/** Told once an hour for each limit. */
const alarming = ({ perHour, log, securityLog }: Needs) => {
  const toldAt = new Map<string, Instant>()
  return (key: string, at: Instant): void => {
    if (at - (toldAt.get(key) ?? -Infinity) < hourMs) return
    toldAt.set(key, at)
    const limit = `the limit of text messages ${key} is reached: nobody gets more within the hour`
    log.error({ MESSAGES_PER_HOUR: perHour }, limit)
    securityLog.record({ type: 'refused', actor: 'user:?', reason: `many text messages ${key}` })
  }
}

/**
 * Limits text messages of an hour: per number, per network that asks for them, per country that
 * they go to (half of all) and in all, because who asks for many may earn by each.
 */
export const makeMessageLimits = (needs: Needs) => {
  const inAll = makeThrottle(needs.perHour, hourMs)
  const perPrefix = makeThrottle(Math.ceil(needs.perHour / 2), hourMs)
  const alarm = alarming(needs)

  const limitsOf = (phone: string) =>
    [
      [`to +${prefixOf(phone)}`, perPrefix],
      ['in all', inAll],
    ] as const

  const destination: Limit = {
    check: (phone, at) => {
      for (const [key, limit] of limitsOf(phone))
        try {
          limit.check(key, at)
        } catch (error) {
          if (error instanceof Refusal) alarm(key, at)
          throw error
        }
    },
    count: (phone, at) => {
      for (const [key, limit] of limitsOf(phone)) limit.count(key, at)
    },
  }
  return {
    number: makeThrottle(perNumber, hourMs),
    address: makeThrottle(perNetwork, hourMs),
    destination,
  }
}
