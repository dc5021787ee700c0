import { hash, createHmac } from 'node:crypto'
import { generationalCache, cached } from '../../application/generational-cache.ts'
import type { IdScheme } from '../../domain/installation.ts'
import {
  noStream,
  type RecordedEvent,
  type JsonObject,
  type NewEvent,
  type Revision,
} from '../../application/event-store.ts'
import type { EncodedEvent } from '../../application/proved-events.ts'

type Digest = (purpose: string, ...parts: readonly string[]) => string

/** Derives the service's id from the POS's own id. */
type DeriveId = (merchant: string, posId: string, posTid: string) => string

const hexDigits = 32

/** 128 bits in hex: the same on every node, and secret without the key. */
export const makeDigest = (key: string): Digest => {
  const bytes = Buffer.from(key, 'base64')
  return (purpose, ...parts) =>
    createHmac('sha256', bytes)
      .update(JSON.stringify([purpose, ...parts]))
      .digest('hex')
      .slice(0, hexDigits)
}

/**
 * Ids that differ only in their last two characters share a prefix: up to a hundred of them if
 * these are digits.
 */
const endOfNumber = 2

/** Hex digits of the shared prefix: 24 bits, which leaves 104 unguessable bits. */
const placeDigits = 6

const placesRemembered = 1_000

/**
 * Derives ids for one purpose. Clustered ids of consecutive requests of a POS share a prefix, so
 * they are adjacent in every index and written to the same pages.
 */
export const deriveIds = (digest: Digest, scheme: IdScheme, purpose: string): DeriveId => {
  if (scheme === 'scattered') return (...parts) => digest(purpose, ...parts)
  const places = generationalCache<string, string>(placesRemembered)
  return (merchant, posId, posTid) => {
    const neighbourhood = [merchant, posId, posTid.slice(0, -endOfNumber)]
    const place = cached(places, JSON.stringify(neighbourhood), () =>
      digest(`place of ${purpose}`, ...neighbourhood).slice(0, placeDigits),
    )
    return place + digest(purpose, merchant, posId, posTid).slice(placeDigits)
  }
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The 16 bytes of a UUID; undefined for any other text. */
export const bytesOf = (text: string): Buffer | undefined =>
  uuid.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : undefined

/** A UUID from 32 hexadecimal digits. */
export const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-` +
  `${hex.slice(16, 20)}-${hex.slice(20)}`

/** The variant of RFC 9562 in the two high bits of a hexadecimal digit. */
const variants = ['8', '9', 'a', 'b'] as const

const variantOf = (digit: string): string => variants[parseInt(digit, 16) & 3] as string

/** Hexadecimal digits for 48 bits. */
const timeDigits = 12

/**
 * A UUID of version 8 (RFC 9562, 5.8): 48 bits of the time in ms since 1970, and a hash of the
 * name. Ids of the same time are adjacent in every index; equal times and names give equal ids.
 */
export const timedUuid = (name: string, at: number): string => {
  const time = at.toString(16).padStart(timeDigits, '0')
  const hex = hash('sha1', name)
  const variant = variantOf(hex.charAt(3)) + hex.slice(4, 7)
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hex.slice(0, 3)}-${variant}-${hex.slice(7, 19)}`
}

/** Generates unique names, more cheaply than a random one each time. */
export const numberedFrom = (name: string) => {
  let count = 0
  return (): string => `${name}/${count++}`
}

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

/** A string is JSON; bytes are anything else. */
export type Content = string | Uint8Array

export type Entry = {
  readonly stream: string
  readonly revision: number
  /** 32 hexadecimal digits. */
  readonly id: string
  readonly type: string
  readonly data: Content
  readonly metadata: Content | null
}

/** Longer contents are replaced by their digest: a tile has at most 65,535 bytes per entry. */
const longestContent = 16_384

const sized = (name: string, text: string): string => `${name} ${Buffer.byteLength(text)} ${text}\n`

const content = (name: string, value: Content | null): string => {
  if (value === null) return `${name} none\n`
  const kind = typeof value === 'string' ? 'json' : 'bytes'
  const size = typeof value === 'string' ? Buffer.byteLength(value) : value.length
  // Bytes cannot be embedded in text, whatever their number.
  if (kind === 'bytes' || size > longestContent)
    return `${name} ${kind}-sha256 ${size} ${hash('sha256', value, 'base64')}\n`
  return `${name} ${kind} ${size} ${value as string}\n`
}

/** The canonical encoding of an event, specified in `docs/auditors.md`. */
export const entryOf = ({ stream, revision, id, type, data, metadata }: Entry): string =>
  `daybook event 1\n${sized('stream', stream)}revision ${revision}\nid ${id}\n` +
  `${sized('type', type)}${content('data', data)}${content('metadata', metadata)}`

/** The hash of an entry as a leaf of a Merkle tree (RFC 6962, 2.1), in base64. */
export const leafHash = (event: Entry): string => hash('sha256', `\0${entryOf(event)}`, 'base64')

/** The appended text, since the service writes JSON exactly as JavaScript does. */
export const entryOfEvent = (event: RecordedEvent): Entry => {
  const { stream, revision, id, type, data, metadata } = event
  return {
    stream,
    revision,
    type,
    id: id.replaceAll('-', ''),
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  }
}

/** The event as a leaf of the log's tree. */
export const leafOf = (event: RecordedEvent) => ({
  position: event.position,
  leaf: event.leaf ?? leafHash(entryOfEvent(event)),
})

/** An event as shown in receipts: its entry, and contents that the entry holds only as a digest. */
export const encodeEvent = (event: RecordedEvent): EncodedEvent => {
  const entry = entryOfEvent(event)
  const beside = (text: Content | null) =>
    typeof text === 'string' && Buffer.byteLength(text) > longestContent ? text : undefined
  return {
    entry: entryOf(entry),
    leaf: leafHash(entry),
    data: beside(entry.data),
    metadata: beside(entry.metadata),
  }
}
