import { hash } from 'node:crypto'
import type { RecordedEvent } from '../../application/event-store.ts'
import type { EncodedEvent } from '../../application/proved-events.ts'

/** Text is JSON, bytes are anything else. */
export type Content = string | Uint8Array

/** What an entry holds of an event: all but its place in the log. */
export type Entry = {
  readonly stream: string
  readonly revision: number
  /** 32 hexadecimal digits. */
  readonly id: string
  readonly type: string
  readonly data: Content
  readonly metadata: Content | null
}

/** Longer contents stand as their digest: a tile of entries takes 65,535 bytes of each. */
const longestContent = 16_384

const sized = (name: string, text: string): string => `${name} ${Buffer.byteLength(text)} ${text}\n`

const content = (name: string, value: Content | null): string => {
  if (value === null) return `${name} none\n`
  const kind = typeof value === 'string' ? 'json' : 'bytes'
  const size = typeof value === 'string' ? Buffer.byteLength(value) : value.length
  // Bytes cannot stand in text, whatever their number.
  if (kind === 'bytes' || size > longestContent)
    return `${name} ${kind}-sha256 ${size} ${hash('sha256', value, 'base64')}\n`
  return `${name} ${kind} ${size} ${value as string}\n`
}

/** The one encoding of an event, as `docs/auditors.md` describes it to the byte. */
export const entryOf = ({ stream, revision, id, type, data, metadata }: Entry): string =>
  `daybook event 1\n${sized('stream', stream)}revision ${revision}\nid ${id}\n` +
  `${sized('type', type)}${content('data', data)}${content('metadata', metadata)}`

/** The hash of an entry as a leaf of a Merkle tree (RFC 6962, 2.1), in base64. */
export const leafHash = (event: Entry): string => hash('sha256', `\0${entryOf(event)}`, 'base64')

/** What was appended as text, since the service writes JSON as JavaScript does. */
export const entryOfEvent = (event: RecordedEvent): Entry => {
  const { stream, revision, id, type, data, metadata } = event
  return {
    ...{ stream, revision, type },
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

/** An event as receipts show it: its entry, and contents that stand there as a digest alone. */
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
