import { z } from 'zod'
import type { LedgerEvent } from './accounting/ledger.ts'
import type { Decider, EventsOf } from './decider.ts'
import type { PaymentEvent } from './payment/payment-events.ts'
import type { PermissionEvent } from './people/permission.ts'
import { refuse } from './refusal.ts'
import { isAhead, type Instant, type Seconds } from './time.ts'

/** The callback event that each event becomes (interface 4.4 and 13). */
export const callbackEventNames = {
  PaymentAuthorized: 'payment_authorized',
  PaymentDeclined: 'payment_aborted_by_customer',
  PaymentFailed: 'payment_aborted_by_customer',
  PaymentAborted: 'payment_aborted_by_merchant',
  PaymentExpired: 'payment_request_expired',
  PaymentCaptured: 'payment_captured',
  PaymentReleased: 'payment_auth_released',
  PaymentRenewed: 'payment_authorization_renewed',
  PaymentAuthorizationExpired: 'payment_authorization_expired',
  PermissionGranted: 'permission_request_answered',
  PermissionDeclined: 'permission_request_answered',
  PermissionFailed: 'permission_request_answered',
  PermissionExpired: 'permission_request_expired',
  ReportCompleted: 'report_closed',
} as const satisfies Partial<Record<(PaymentEvent | PermissionEvent | LedgerEvent)['type'], string>>

/** Told by its own event alone; of all others the object is the outcome that their whole history led to. */
export const scanCallbackName = 'shortlink_scanned'

/** What a display at the till is told at each step of the payer (interface 13), at an address of its own. */
export const displayCallbackName = 'display_message'

export const displayTexts = {
  PaymentPickedUp: 'The code has been scanned.',
  PaymentAuthorized: 'The payment has been accepted.',
  PaymentDeclined: 'The payment has been declined.',
  PaymentFailed: 'The payment has been refused.',
} as const satisfies Partial<Record<PaymentEvent['type'], string>>

export const isDisplayed = (type: string): type is keyof typeof displayTexts => type in displayTexts

/** Whose messages are for the display of a payment: they are numbered for themselves. */
export const displayOf = (stream: string): string => `${stream}#display`

/** Id of the message for the display: the event itself is told to the callback address, under its own id. */
export const displayMessageId = (event: string): string => `${event}-display`

/** What came of one delivery attempt: `gone` is 410, which stops all further ones. */
const attemptResults = ['delivered', 'failed', 'gone'] as const

/** The stream that a resource's events are in: itself, or what stands before `#` for a resource that shares a stream. */
export const streamOfSubject = (subject: string): string => subject.split('#')[0] ?? subject

/** A message: the event that it tells, by its resource and revision, and its place among those of that resource. */
const message = {
  subject: z.string(),
  revision: z.int(),
  event: z.string(),
  seqno: z.int(),
}

const attempt = {
  ...message,
  uri: z.string(),
  attemptedAt: z.int(),
  result: z.enum(attemptResults),
  /** HTTP status of the answer; null when there was none. */
  httpStatus: z.int().nullable(),
  problem: z.string().nullable(),
}

/** Events of the stream `callback-<id of the event that is told>`. */
export const callbackEvents = {
  CallbackAttempted: z.object({ ...attempt, nextAttemptAt: z.int().nullable() }),
  CallbackRetryRequested: z.object({ ...message, nextAttemptAt: z.int() }),
  /** The sandbox's wish for a `test_event`; the first event of a stream `callback-test-…` of its own. */
  CallbackTestRequested: z.object({ uri: z.string() }),
} as const

export type Message = z.output<z.ZodObject<typeof message>>

/** A message that has not arrived. */
export type QueuedMessage = Message & {
  /** Id of the event that it tells, and so of the message. */
  readonly id: string
  /** Recorded, since they were counted anew. */
  readonly attempts: number
  readonly nextAttemptAt: Instant
}

/** The messages of a merchant, or of nobody, to one scheme and host. */
export type DeliveryLane = { readonly merchant: string | null; readonly destination: string }

export type CallbackEvent = EventsOf<typeof callbackEvents>
export type Attempt = z.output<z.ZodObject<typeof attempt>>

type CallbackCommand =
  | {
      readonly type: 'RecordAttempt'
      readonly attempt: Attempt
      /** How many had been recorded when this one was begun. */
      readonly after: number
      /** From 0 to 1, spreads retries that failed together. */
      readonly jitter: number
    }
  | { readonly type: 'RequestRetry'; readonly at: Instant; readonly message: Message }
  /** Tries a message at once that a clock has put off which was ahead. */
  | { readonly type: 'BringForward'; readonly at: Instant; readonly message: Message }
  | { readonly type: 'RequestTest'; readonly uri: string }

type Callback = {
  readonly status: 'untried' | 'waiting' | 'delivered' | 'abandoned'
  readonly attempts: number
  /** The attempts at the address of the last one, for each address is tried by a schedule of its own. */
  readonly latest: {
    readonly uri: string
    readonly attempts: number
    /** Retries end three days after this. */
    readonly firstAttemptAt: Instant
  } | null
}

/** The attempts at the address of one more, with it. */
const withAttempt = (
  { latest }: Callback,
  { uri, attemptedAt }: Pick<Attempt, 'uri' | 'attemptedAt'>,
): NonNullable<Callback['latest']> =>
  latest?.uri === uri
    ? { ...latest, attempts: latest.attempts + 1 }
    : { uri, attempts: 1, firstAttemptAt: attemptedAt }

const retryDelays: readonly Seconds[] = [5, 30, 120, 600, 1800, 3600, 3600, 3600, 7200]
const slowestDelay: Seconds = 14_400
const retriesEndAfter: Seconds = 259_200

/** When to try again after so many attempts: exponential, with up to a fifth of jitter; null when it is given up. */
export const nextAttemptAt = (
  attempts: number,
  firstAttemptAt: Instant,
  at: Instant,
  jitter: number,
): Instant | null => {
  const delay = retryDelays[attempts - 1] ?? slowestDelay
  const next = at + Math.round(delay * 1000 * (1 + jitter / 5))
  return next > firstAttemptAt + retriesEndAfter * 1000 ? null : next
}

/** Whether a message waits for longer than any schedule has it wait: the clock was ahead, and has been put back. */
export const waitsTooLong = (
  { attempts, nextAttemptAt: next }: Pick<QueuedMessage, 'attempts' | 'nextAttemptAt'>,
  at: Instant,
): boolean => {
  const delay = attempts === 0 ? 0 : (retryDelays[attempts - 1] ?? slowestDelay)
  return isAhead(next - delay * 1200, at)
}

/** The delivery of one message: attempted until it arrives, the receiver is gone, or three days have passed. */
export const callback: Decider<CallbackCommand, CallbackEvent, Callback> = {
  initial: { status: 'untried', attempts: 0, latest: null },
  decide(command, state) {
    switch (command.type) {
      case 'RecordAttempt': {
        const { attempt, after, jitter } = command
        const at = attempt.attemptedAt
        // Several processes may try at the same time: what failed beside another try is no further step of the schedule,
        // and what has arrived is not sent again because another try failed.
        if (attempt.result === 'failed' && state.attempts !== after) return []
        const { attempts, firstAttemptAt } = withAttempt(state, attempt)
        const again =
          attempt.result === 'failed' && state.status !== 'delivered'
            ? nextAttemptAt(attempts, firstAttemptAt, at, jitter)
            : null
        return [{ type: 'CallbackAttempted', data: { ...attempt, nextAttemptAt: again } }]
      }
      case 'RequestRetry': {
        if (state.status === 'untried') return refuse('resource_is_unknown')
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
        // The schedule begins anew.
        return { status: 'waiting', attempts: 0, latest: null }
      case 'CallbackTestRequested':
        return state
    }
  },
}
