import {
  AccessDeniedError,
  convertToCommandError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  WrongExpectedVersionError,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { setTimeout as pause } from 'node:timers/promises'
import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type JsonObject,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'

export type Patience = {
  /** How long one call may stay without an answer, in ms. */
  readonly attempt: number
  /** How long a call is repeated altogether, in ms. */
  readonly altogether: number
}

const firstPause = 20
const longestPause = 500

/** For what fails or happens and nobody needs to hear of. */
export const ignore = (): void => {}

/** The number of a revision or a position. @throws RangeError beyond 2^53 */
export const exact = (place: bigint): number => {
  const number = Number(place)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${place} is beyond exact numbers`)
  return number
}

/** The position of an event in the log of all streams. @throws RangeError beyond 2^53 */
export const positionOf = ({ event }: ResolvedEvent): Position =>
  event?.position ? exact(event.position.commit) : 0

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array)

/** An event as the port hands it out; none for what no append of the port can have written: the node's own, binary. */
export const toRecorded = (resolved: ResolvedEvent): RecordedEvent | undefined => {
  const { event } = resolved
  if (!event?.isJson || event.type.startsWith('$') || event.streamId.startsWith('$')) return
  const [data, metadata]: [unknown, unknown] = [event.data, event.metadata]
  if (!isObject(data)) return
  return {
    id: event.id,
    stream: event.streamId,
    type: event.type,
    revision: exact(event.revision),
    position: positionOf(resolved),
    data,
    metadata: isObject(metadata) ? metadata : {},
  }
}

/** An event of ours as the port hands it out; undefined for those of others. */
export type Own = (resolved: ResolvedEvent) => RecordedEvent | undefined

const revisionOf = (version: unknown): number =>
  typeof version === 'bigint' ? exact(version) : noStream

/** The client's error as the port names it; none for one that another try may get over. */
export const verdict = (error: unknown): Error | undefined => {
  if (error instanceof WrongExpectedVersionError) {
    const { streamName, expectedVersion, actualVersion } = error
    const [expected, actual] = [revisionOf(expectedVersion), revisionOf(actualVersion)]
    return new WrongExpectedRevision(streamName, expected, actual)
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return new TypeError(`the server takes no more than ${error.maxAppendSize} bytes`)
  }
  if (error instanceof AccessDeniedError) {
    return new StoreUnavailable('EventStoreDB denies access', { cause: error })
  }
  if (error instanceof StreamDeletedError || error instanceof RangeError) return error
  return undefined
}

const unanswered = (milliseconds: number): StoreUnavailable =>
  new StoreUnavailable(`EventStoreDB has not answered within ${Math.round(milliseconds)} ms`)

/**
 * The answer of a call, or a failure when nothing is heard of it for too long: the client itself would wait for ever. A
 * call whose answer comes in parts tells when one has come.
 */
export const within = async <Answer>(
  milliseconds: number,
  call: Promise<Answer> | ((heard: () => void) => Promise<Answer>),
): Promise<Answer> => {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unanswered(milliseconds)), milliseconds)
  })
  try {
    const answer = call instanceof Promise ? call : call(() => timer?.refresh())
    return await Promise.race([answer, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** Makes a call, again and again if need be; it is told for how long it may take, in ms, and when it has failed. */
export type Persistently = <Answer>(
  call: (timeout: number) => Promise<Answer>,
  failed?: (error: unknown) => void,
) => Promise<Answer>

/**
 * The answer of a call that is repeated until it has one; the call must be safe to repeat and keep to its timeout.
 * @throws what the server decided, StoreUnavailable when patience ends
 */
export const persistently = async <Answer>(
  { attempt, altogether }: Patience,
  call: (timeout: number) => Promise<Answer>,
  failed: (error: unknown) => void = () => {},
): Promise<Answer> => {
  const end = performance.now() + altogether
  let cause: unknown
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    const timeout = Math.min(attempt, Math.max(1, end - performance.now()))
    try {
      return await call(timeout)
    } catch (thrown) {
      // The first call after a lost connection fails with a plain Error that is not one of the client's own kinds.
      const error = thrown instanceof Error ? convertToCommandError(thrown) : thrown
      const decided = verdict(error)
      if (decided) throw decided
      failed(error)
      // That what was left of the patience was too short says less than what went wrong before.
      const isCutShort = error instanceof StoreUnavailable && timeout < attempt
      if (cause === undefined || !isCutShort) cause = error
      if (performance.now() + wait >= end) {
        const message = cause instanceof Error ? cause.message : String(cause)
        throw new StoreUnavailable(message, { cause })
      }
    }
    await pause(wait)
  }
}
