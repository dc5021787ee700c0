import {
  withAttempt,
  type callback,
  type CallbackEvent,
  type Message,
} from '../../domain/callback.ts'
import { jitterOf } from '../../domain/callback-schedule.ts'
import type { Causes, Given } from './causes.ts'
import {
  type DestinationCommand,
  type DestinationEvent,
  type Destination,
  hasFailedTooLong,
} from '../../domain/callback-destination.ts'

type Command = Parameters<(typeof callback)['decide']>[0]

type State = (typeof callback)['initial']

/** Why the log announces no such message; undefined if it does. */
const whyNotAnnounced = (
  { subject, revision, event }: Message,
  { id, facts }: Given<CallbackEvent, State>,
): string | undefined => {
  const told = facts.announcedBy(subject, revision)
  if (told?.id !== id) return `it is not about revision ${revision} of ${subject}`
  return told.event === event ? undefined : `that event tells ${told.event}, not ${event}`
}

export const callbackCauses: Causes<Command, CallbackEvent, State> = {
  CallbackAttempted: ({ nextAttemptAt, ...attempt }, given) => {
    const problem = whyNotAnnounced(attempt, given)
    if (problem !== undefined) return problem
    const { attempts } = withAttempt(given.state, attempt)
    const { attemptedAt: at, retryAfterMs } = attempt
    // The retry time shows the jitter; the last attempt has none.
    const jitter = nextAttemptAt === null ? 1 : jitterOf(attempts, at, nextAttemptAt, retryAfterMs)
    return [{ type: 'RecordAttempt', attempt, after: given.state.attempts, jitter }]
  },
  CallbackRetryRequested: (data, given) => {
    const { subject, revision, event, seqno } = data
    const problem = whyNotAnnounced(data, given)
    if (problem !== undefined) return problem
    const message = { subject, revision, event, seqno }
    const told = given.facts.announcedBy(subject, revision)
    // Early requests, and those of the service itself, do not record the position.
    const announcement = data.position !== undefined &&
      told && { position: told.position, toldAt: told.at }
    const retry = { type: 'RequestRetry', at: given.at, message: { ...message, ...announcement } }
    return [retry as Command]
  },
  CallbackTestRequested: ({ uri }) => [{ type: 'RequestTest', uri }],
}

export const destinationCauses: Causes<DestinationCommand, DestinationEvent, Destination> = {
  DestinationRested: (data, { at }) =>
    hasFailedTooLong(data.failingSince, at)
      ? [{ type: 'Rest', ...data }]
      : 'it has not failed for five days',
  DestinationWoken: ({ destination }) => [{ type: 'Wake', destination }],
}
