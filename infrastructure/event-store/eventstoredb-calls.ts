import type { ResolvedEvent } from '@eventstore/db-client'
import {
  StoreUnavailable,
  type JsonObject,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'

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

/** An event as the port hands it out; undefined for what no append of the port can have written. */
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

/** An event of ours as the port hands it out; undefined for those of others. */
export type Own = (resolved: ResolvedEvent) => RecordedEvent | undefined

const unanswered = (milliseconds: number): StoreUnavailable =>
  new StoreUnavailable(`EventStoreDB has not answered within ${Math.round(milliseconds)} ms`)

/**
 * The answer of a call, or a failure when nothing is heard of it for too long: the client itself
 * would wait for ever. A call whose answer comes in parts tells when one has come.
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
