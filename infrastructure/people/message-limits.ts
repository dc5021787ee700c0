import type { Limit } from '../../application/number-proofs.ts'
import type { SecurityLog } from '../../application/security-log.ts'
import { Refusal, refuse } from '../../domain/refusal.ts'
import { type Instant, secondsUntil, stillLasts } from '../../domain/time.ts'
import type { Log } from '../logs/log.ts'
import { shortened, networksOf } from '../networks.ts'
import { generationalCache } from '../../application/generational-cache.ts'

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

/** What a limit is of: the network that asks, the country of the numbers, or all messages. */
type LimitKind = 'network' | 'country' | 'all'

export type MessageAlarm = { readonly of: LimitKind; readonly which: string }

const mostAlarms = 1_000

/** Alarms of the last hour, each logged once. */
const alarming = ({ perHour, log, securityLog }: Needs) => {
  const raised = new Map<string, MessageAlarm & { readonly at: Instant }>()
  const dropOld = (now: Instant): void => {
    for (const [key, { at }] of raised) if (now - at >= hourMs) raised.delete(key)
  }
  return {
    raise: (alarm: MessageAlarm, at: Instant): void => {
      dropOld(at)
      const { of, which } = alarm
      if (raised.has(which) || raised.size >= mostAlarms) return
      raised.set(which, { ...alarm, at })
      const limit = `the limit of text messages ${which} is reached: no more are sent for an hour`
      log.error({ limit: of, MESSAGES_PER_HOUR: perHour }, limit)
      securityLog.record({
        type: 'refused',
        actor: 'user:?',
        reason: `many text messages ${which}`,
      })
    },
    /** Newest last. */
    of: (now: Instant): readonly MessageAlarm[] => {
      dropOld(now)
      return [...raised.values()].map(({ of, which }) => ({ of, which }))
    },
  }
}

type Named = { readonly key: string; readonly alarm: MessageAlarm; readonly limit: Limit }

/** Several limits at once, each with an alarm. */
const withAlarms = (
  limitsOf: (key: string) => readonly Named[],
  raise: (alarm: MessageAlarm, at: Instant) => void,
): Limit => ({
  check: (subject, at) => {
    for (const { key, alarm, limit } of limitsOf(subject))
      try {
        limit.check(key, at)
      } catch (error) {
        if (error instanceof Refusal) raise(alarm, at)
        throw error
      }
  },
  count: (subject, at) => {
    for (const { key, limit } of limitsOf(subject)) limit.count(key, at)
  },
})

/**
 * Limits text messages of an hour: per number, per network that asks for them, per country that
 * they go to (half of all) and in all, because who asks for many may earn by each.
 */
export const makeMessageLimits = (needs: Needs) => {
  const inAll = makeThrottle(needs.perHour, hourMs)
  const perPrefix = makeThrottle(Math.ceil(needs.perHour / 2), hourMs)
  const perAddress = makeThrottle(perNetwork, hourMs)
  const alarms = alarming(needs)

  const ofDestination = (phone: string): readonly Named[] => {
    const country = `to +${prefixOf(phone)}`
    return [
      { key: country, alarm: { of: 'country', which: country }, limit: perPrefix },
      { key: 'in all', alarm: { of: 'all', which: 'in all' }, limit: inAll },
    ]
  }
  /** Narrower networks would identify people. */
  const ofAddress = (key: string): readonly Named[] => {
    const which = `from ${shortened(key) ?? 'an unknown network'}`
    return [{ key, alarm: { of: 'network', which }, limit: perAddress }]
  }
  return {
    number: makeThrottle(perNumber, hourMs),
    address: withAlarms(ofAddress, alarms.raise),
    destination: withAlarms(ofDestination, alarms.raise),
    /** Limits that were reached in the last hour. */
    alarms: alarms.of,
  }
}

export type MessageLimits = ReturnType<typeof makeMessageLimits>
