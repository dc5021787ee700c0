import { z } from 'zod'

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

/** Instants in events. Auditors recognise times by this description. */
export const instant = z.int().meta({ description: 'milliseconds since 1970-01-01T00:00:00Z' })

export type Seconds = number

export const dayMs = 86_400_000

/** Three days (interface 4.4). */
export const authorizationLifetime: Seconds = 259_200

/** Clocks of nodes differ by less than this. */
export const clockToleranceMs = 60_000

/** Whether a logged instant is in the future, because the clock was ahead and was set back. */
export const isAhead = (then: Instant, at: Instant): boolean => then > at + clockToleranceMs

/** Whether a period is still running. Also over if its start lies in the future. */
export const stillLasts = (end: Instant, lasting: Seconds, at: Instant): boolean =>
  at < end && !isAhead(end - lasting * 1000, at)

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10)

/** Rounded down to whole seconds, as shown on the wire (interface 2). */
export const secondsAfter = (at: Instant, seconds: Seconds): Instant =>
  (Math.floor(at / 1000) + seconds) * 1000

/** End of a wait that starts now; never before now. */
export const endOfWait = (at: Instant, seconds: Seconds): Instant =>
  Math.max(at, secondsAfter(at, seconds))

/** Rounded up. */
export const secondsUntil = (then: Instant, at: Instant): Seconds => Math.ceil((then - at) / 1000)

/** Whether a text is a day that exists, as `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

export const hoursInMs = (hours: number): number => Math.round(hours * 3_600_000)
