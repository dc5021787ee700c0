import {
  type ResolvedEvent,
  AccessDeniedError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import {
  StoreUnavailable,
  type JsonObject,
  type Position,
  type RecordedEvent,
  noStream,
  StoreRefused,
  WrongExpectedRevision,
} from '../../application/event-store.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'
import { status } from '@grpc/grpc-js'

/** For failures and events that need no handling. */
export const ignore = (): void => {}

/** A revision or position as a number. @throws RangeError beyond 2^53 */
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

/** An event in the port's form; undefined if the port cannot have appended it. */
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
    recordedAt: event.created.getTime(),
  }
}

/** An event of ours in the port's form; undefined for others. */
export type Own = (resolved: ResolvedEvent) => RecordedEvent | undefined

const unanswered = (milliseconds: number): StoreUnavailable =>
  new StoreUnavailable(`EventStoreDB has not answered within ${Math.round(milliseconds)} ms`)

/**
 * The response of a call, or a failure after a timeout: the client itself would wait forever. A
 * call with a streamed response reports each part.
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

export type About = {
  readonly doing: 'reading' | 'appending to'
  readonly stream: string
  /** User in the connection string. */
  readonly user?: string | undefined
}

export const textOf = ({ doing, stream }: About): string => `${doing} ${stream}`

const revisionOf = (version: unknown): number =>
  typeof version === 'bigint' ? exact(version) : noStream

const rights = { reading: ['read', '$r'], 'appending to': ['write', '$w'] } as const

/** What was denied to whom, and what would grant it. */
export const denial = (error: AccessDeniedError, about: About): string => {
  const { doing, stream, user } = about
  const [right, key] = rights[doing]
  const refused = `${textOf(about)} is denied`
  if (user === undefined)
    return `${refused}: name a user in the connection string that may ${right} it`
  if (error.code === status.UNAUTHENTICATED)
    return `${refused} to user ${user}: EventStoreDB does not know it, or its password is another`
  const place = stream === '$all' ? 'in the metadata of $all' : 'in the metadata of the stream'
  return `${refused} to user ${user}: grant it ${right} ${place} ($acl.${key})`
}

/** The client's error as an error of the port; undefined if a retry may help. */
export const verdict = (error: unknown, about: About): Error | undefined => {
  if (error instanceof WrongExpectedVersionError) {
    const { streamName, expectedVersion, actualVersion } = error
    const [expected, actual] = [revisionOf(expectedVersion), revisionOf(actualVersion)]
    return new WrongExpectedRevision(streamName, expected, actual)
  }
  if (error instanceof MaxAppendSizeExceededError) {
    const most = `the server takes no more than ${error.maxAppendSize} bytes`
    return new TypeError(`${textOf(about)}: ${most}`)
  }
  if (error instanceof AccessDeniedError)
    return new StoreRefused(denial(error, about), { cause: error })
  if (error instanceof StreamDeletedError || error instanceof RangeError) return error
  return undefined
}

/** Whether the server has decided about a call, so that a retry does not help. */
export const isDecided = (error: unknown): boolean =>
  verdict(error, { doing: 'appending to', stream: '' }) !== undefined

export const userIn = (connectionString: string): string | undefined => {
  const [, user] = /^[^/]*:\/\/([^:@/]*)(?::[^@/]*)?@/.exec(connectionString) ?? []
  return user === undefined || user === '' ? undefined : decodeURIComponent(user)
}
