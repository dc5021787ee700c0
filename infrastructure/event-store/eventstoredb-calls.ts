import type { ResolvedEvent } from '@eventstore/db-client'
import {
  StoreUnavailable,
  type JsonObject,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

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
