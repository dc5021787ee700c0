/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

export type Seconds = number

export const dayMs = 86_400_000

/** An authorisation can be captured for three days (interface 4.4). */
export const authorizationLifetime: Seconds = 259_200

/** The clocks of machines differ by less. */
export const clockToleranceMs = 60_000

/** Whether an instant of the log lies so far ahead that the clock was, too, and has been put back since. */
export const isAhead = (then: Instant, at: Instant): boolean => then > at + clockToleranceMs

/** Whether what lasts so long from some instant on still does: what would end later was begun by a clock that was ahead. */
export const stillLasts = (end: Instant, lasting: Seconds, at: Instant): boolean =>
  at < end && !isAhead(end - lasting * 1000, at)

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10)

/** The instant some seconds on, in whole seconds: the second that is shown is the instant meant (interface 2). */
export const secondsAfter = (at: Instant, seconds: Seconds): Instant =>
  (Math.floor(at / 1000) + seconds) * 1000

/** When what is asked for now ends by itself: no earlier than now, for nothing ends before it has begun. */
export const endOfWait = (at: Instant, seconds: Seconds): Instant =>
  Math.max(at, secondsAfter(at, seconds))

/** How long it is until then, in seconds begun. */
export const secondsUntil = (then: Instant, at: Instant): Seconds => Math.ceil((then - at) / 1000)
