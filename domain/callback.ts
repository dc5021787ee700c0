import { z } from 'zod'
import type { Decider, EventsOf } from './decider.ts'
import { channelOf } from './merchant/channel.ts'
import { instant, type Instant, isAhead, type Seconds } from './time.ts'

export const retryDelays: readonly Seconds[] = [5, 30, 120, 600, 1800, 3600, 3600, 3600, 7200]

export const slowestDelay: Seconds = 14_400

export const retriesEndAfter: Seconds = 259_200

export const leastDelayMs = (attempts: number, retryAfterMs: number): number =>
  Math.max((retryDelays[attempts - 1] ?? slowestDelay) * 1000, retryAfterMs)

/** Back-off with up to 20 % jitter, never before the receiver's time; null after the last. */
export const nextAttemptAt = (
  attempts: number,
  firstAttemptAt: Instant,
  at: Instant,
  jitter: number,
  retryAfterMs = 0,
): Instant | null => {
  const next = at + Math.round(leastDelayMs(attempts, retryAfterMs) * (1 + jitter / 5))
  return next > firstAttemptAt + retriesEndAfter * 1000 ? null : next
}

/** The jitter of a retry at that time, from 0 to 1. */
export const jitterOf = (attempts: number, at: Instant, next: Instant, retryAfterMs = 0): number =>
  Math.min(1, Math.max(0, ((next - at) / leastDelayMs(attempts, retryAfterMs) - 1) * 5))

/**
 * Whether it waits longer than any schedule allows, because the clock was ahead and was set back.
 */
export const waitsTooLong = (
  {
    attempts,
    nextAttemptAt: next,
    retryAfterMs = 0,
  }: {
    readonly attempts: number
    readonly nextAttemptAt: Instant
    readonly retryAfterMs?: number
  },
  at: Instant,
): boolean => {
  const delay = attempts === 0 ? 0 : (retryDelays[attempts - 1] ?? slowestDelay)
  return isAhead(next - Math.max(delay * 1000, retryAfterMs) * 1.2, at)
}

/** `gone` is HTTP 410 and ends all attempts. */
export const attemptResults = ['delivered', 'failed', 'gone'] as const

/** An event to deliver, with its sequence number within the subject. */
const message = {
  subject: z.string(),
  revision: z.int(),
  event: z.string(),
  seqno: z.int(),
}

const attempt = {
  ...message,
  uri: z.string(),
  attemptedAt: instant,
  result: z.enum(attemptResults),
  /** Null without a response. */
  httpStatus: z.int().nullable(),
  problem: z.string().nullable(),
  durationMs: z.int().optional(),
  /** From the response's `Retry-After`, at most a day. */
  retryAfterMs: z.int().optional(),
}

/** Streams `callback-<id of the delivered event>`. */
export const callbackEvents = {
  CallbackAttempted: z.object({ ...attempt, nextAttemptAt: instant.nullable() }),
  CallbackRetryRequested: z.object({
    ...message,
    nextAttemptAt: instant,
    /** Position of the delivered event. */
    position: z.int().optional(),
    toldAt: instant.optional(),
  }),
  /** A sandbox request for a `test_event`, in a stream `callback-test-…`. */
  CallbackTestRequested: z.object({ uri: z.string() }),
} as const

export type Message = z.output<z.ZodObject<typeof message>>

/** When and where in the log a message was announced. */
type Announcement = { readonly position: number; readonly toldAt: Instant }

/** A message that the log announces, with or without an address. */
export type LoggedMessage = Message & {
  readonly id: string
  readonly merchant: string | null
  readonly position: number
  readonly at: Instant
  readonly isAddressed: boolean
}

/** An undelivered message. */
export type QueuedMessage = Message & {
  /** Id of its event, which is also the id of the message. */
  readonly id: string
  /** Attempts since the schedule last restarted. */
  readonly attempts: number
  readonly nextAttemptAt: Instant
  readonly retryAfterMs?: number
}

/** Messages of a merchant (null for none) to one scheme and host. */
export type DeliveryLane = { readonly merchant: string | null; readonly destination: string }

export type CallbackEvent = EventsOf<typeof callbackEvents>

export type Attempt = z.output<z.ZodObject<typeof attempt>>

type CallbackCommand =
  | {
      readonly type: 'RecordAttempt'
      readonly attempt: Attempt
      /** Attempts recorded when this one started. */
      readonly after: number
      /** 0 to 1; spreads retries of simultaneous failures. */
      readonly jitter: number
    }
  | {
      readonly type: 'RequestRetry'
      readonly at: Instant
      readonly message: Message & Announcement
    }
  /** Retries a message now that a clock ahead of time postponed. */
  | { readonly type: 'BringForward'; readonly at: Instant; readonly message: Message }
  | { readonly type: 'RequestTest'; readonly uri: string }

type Callback = {
  readonly status: 'untried' | 'waiting' | 'delivered' | 'abandoned'
  readonly attempts: number
  /** Attempts at the latest address; each address has its own schedule. */
  readonly latest: {
    readonly uri: string
    readonly attempts: number
    /** Retries end three days later. */
    readonly firstAttemptAt: Instant
  } | null
}

/** The attempts at an address, including a new one. */
export const withAttempt = (
  { latest }: Callback,
  { uri, attemptedAt }: Pick<Attempt, 'uri' | 'attemptedAt'>,
): NonNullable<Callback['latest']> =>
  latest?.uri === uri
    ? { ...latest, attempts: latest.attempts + 1 }
    : { uri, attempts: 1, firstAttemptAt: attemptedAt }

/** Delivers one message until it arrives, the receiver is gone, or three days have passed. */
export const callback: Decider<CallbackCommand, CallbackEvent, Callback> = {
  initial: { status: 'untried', attempts: 0, latest: null },
  decide(command, state) {
    switch (command.type) {
      case 'RecordAttempt': {
        const { attempt, after, jitter } = command
        const at = attempt.attemptedAt
        // With several processes delivering, a concurrent failure does not advance the schedule,
        // and a delivered message is not sent again.
        if (attempt.result === 'failed' && state.attempts !== after) return []
        // Channels publish the recorded attempt, so there must be only one.
        if (channelOf(attempt.uri) !== undefined && state.status === 'delivered') return []
        const { attempts, firstAttemptAt } = withAttempt(state, attempt)
        const again =
          attempt.result === 'failed' && state.status !== 'delivered'
            ? nextAttemptAt(attempts, firstAttemptAt, at, jitter, attempt.retryAfterMs)
            : null
        return [{ type: 'CallbackAttempted', data: { ...attempt, nextAttemptAt: again } }]
      }
      case 'RequestRetry': {
        const data = { ...command.message, nextAttemptAt: command.at }
        return [{ type: 'CallbackRetryRequested', data }]
      }
      case 'BringForward': {
        if (state.status === 'delivered') return []
        const data = { ...command.message, nextAttemptAt: command.at }
        return [{ type: 'CallbackRetryRequested', data }]
      }
      case 'RequestTest':
        return [{ type: 'CallbackTestRequested', data: { uri: command.uri } }]
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'CallbackAttempted': {
        const { result, nextAttemptAt } = event.data
        const hasArrived = result === 'delivered' || state.status === 'delivered'
        const status = nextAttemptAt === null ? 'abandoned' : 'waiting'
        return {
          status: hasArrived ? 'delivered' : status,
          attempts: state.attempts + 1,
          latest: withAttempt(state, event.data),
        }
      }
      case 'CallbackRetryRequested':
        // Restarts the schedule.
        return { status: 'waiting', attempts: 0, latest: null }
      case 'CallbackTestRequested':
        return state
    }
  },
}
