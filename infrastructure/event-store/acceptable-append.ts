import {
  noStream,
  type JsonObject,
  type NewEvent,
  type Revision,
} from '../../application/event-store.ts'
import { bytesOf } from './event-ids.ts'

type Serialised = {
  /** The 16 bytes of the UUID. */
  readonly id: Buffer
  readonly type: string
  readonly data: string
  readonly metadata: string
}

/** Maximum bytes of event data per append: EventStoreDB's default limit. */
export const maximumAppendSize = 1_048_576

const nil = '00000000-0000-0000-0000-000000000000'
const printableAscii = /^[\x20-\x7e]+$/

const refuse = (complaint: string): never => {
  throw new TypeError(complaint)
}

const idBytes = (id: string): Buffer =>
  (id === nil ? undefined : bytesOf(id)) ?? refuse(`'${id}' is not an event id`)

const serialise = (value: JsonObject): string => {
  const json: string | undefined = JSON.stringify(value)
  return json?.startsWith('{') ? json : refuse('data and metadata must be JSON objects')
}

/**
 * The events in the form sent and stored. @throws TypeError for input that EventStoreDB refuses, or
 * whose error its client does not survive
 */
export const acceptAppend = (
  stream: string,
  events: readonly NewEvent[],
  expected: Revision,
): readonly Serialised[] => {
  if (!printableAscii.test(stream)) refuse(`a stream is named in ASCII, not '${stream}'`)
  if (stream.startsWith('$')) refuse(`${stream} is a name for streams of the store itself`)
  if (!Number.isSafeInteger(expected) || expected < noStream)
    refuse(`${expected} is not a revision`)
  if (events.length === 0) refuse(`nothing to append to ${stream}`)
  let size = 0
  return events.map(({ id, type, data, metadata }) => {
    const bytes = idBytes(id)
    if (type === '' || type.startsWith('$')) refuse(`'${type}' is not an event type`)
    const serialised = serialise(data)
    size += Buffer.byteLength(serialised)
    if (size > maximumAppendSize) refuse(`more than ${maximumAppendSize} bytes in one append`)
    return { id: bytes, type, data: serialised, metadata: serialise(metadata) }
  })
}
