import {
  ANY,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  WrongExpectedVersionError,
  type AppendExpectedRevision,
  type AppendResult,
  type EventData,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { wallClock } from '../application/machine.ts'
import { maximumAppendSize } from '../infrastructure/event-store/event-entry.ts'

export type Stored = Pick<EventData, 'id' | 'type'> & {
  readonly stream: string
  readonly revision: number
  /** Bytes of the log before its end, so that positions are no count. */
  readonly position: number
  readonly created: number
  /** Each reader gets a copy. */
  readonly data: string | Uint8Array
  readonly metadata: string | Uint8Array | undefined
}

const decoder = new TextDecoder()

const stored = ({ contentType, data, metadata, id, type }: EventData) => {
  const isBytes = metadata instanceof Uint8Array
  const text = isBytes ? decoder.decode(metadata) : metadata && JSON.stringify(metadata)
  return {
    id: id.toLowerCase(),
    type,
    data: contentType === 'application/json' ? JSON.stringify(data) : (data as Uint8Array),
    metadata: isBytes && !text?.startsWith('{') ? metadata : text,
  }
}

const parsed = (kept: string | Uint8Array | undefined): any =>
  typeof kept === 'string' ? JSON.parse(kept) : kept

export const resolved = (one: Stored): ResolvedEvent => {
  const commit = BigInt(one.position)
  const about = { id: one.id, type: one.type, streamId: one.stream, revision: BigInt(one.revision) }
  const event = {
    ...about,
    data: parsed(one.data),
    metadata: parsed(one.metadata),
    isJson: typeof one.data === 'string',
    created: new Date(one.created),
    position: { commit, prepare: commit },
  }
  return { event, commitPosition: commit } as ResolvedEvent
}

/** The log, as contents that another store may begin with. */
export type Contents = readonly Stored[]

/**
 * What a node does with appends, reads and metadata of streams; without clients.
 * Long because both share the streams.
 */
export const storedLog = (contents: Contents) => {
  const all: Stored[] = []
  const streams = new Map<string, Stored[]>()
  const listOf = (stream: string): Stored[] => {
    const list = streams.get(stream) ?? []
    streams.set(stream, list)
    return list
  }
  const put = (one: Stored): void => {
    all.push(one)
    listOf(one.stream).push(one)
  }
  contents.forEach(put)

  const write = (stream: string, event: ReturnType<typeof stored>): void => {
    const position = (all.at(-1)?.position ?? 0) + 128 + event.data.length
    put({ ...event, stream, revision: listOf(stream).length, position, created: wallClock() })
  }

  /** The last of events that are there already; else where they do not match. */
  const repeated = (own: readonly Stored[], ids: readonly string[], from: number) => {
    const isSame = ids.every((id, at) => own[from + at]?.id === id)
    return isSame ? own[from + ids.length - 1] : undefined
  }

  /** @throws WrongExpectedVersionError or MaxAppendSizeExceededError */
  const append = (
    streamName: string,
    added: readonly EventData[],
    expected: AppendExpectedRevision,
  ): AppendResult => {
    const events = added.map(stored)
    const bytes = events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
    if (bytes > maximumAppendSize)
      throw MaxAppendSizeExceededError.fromMaxAppendSize(maximumAppendSize)
    const own = listOf(streamName)
    const last = own.length - 1
    const current = last < 0 ? NO_STREAM : BigInt(last)
    const isLoose = expected === ANY || expected === STREAM_EXISTS
    const after = isLoose ? last : expected === NO_STREAM ? -1 : Number(expected)
    const ids = events.map(({ id }) => id)
    const known = isLoose ? own.findIndex(({ id }) => id === ids[0]) : after + 1
    const earlier = known < 0 || ids.length === 0 ? undefined : repeated(own, ids, known)
    const isMissing = expected === STREAM_EXISTS && last < 0
    if (!earlier && (after !== last || isMissing) && (ids.length > 0 || last >= 0))
      throw new WrongExpectedVersionError(undefined as never, { streamName, current, expected })
    if (!earlier) for (const event of events) write(streamName, event)
    const end = earlier ?? own.at(-1)
    const commit = BigInt((end ?? all.at(-1))?.position ?? 0)
    const position = { commit, prepare: commit }
    return { success: true, nextExpectedRevision: BigInt(end?.revision ?? 0), position }
  }

  /** Metadata of the stream may hide all but the newest. */
  const visible = (stream: string): readonly Stored[] => {
    const own = streams.get(stream) ?? []
    const most = parsed(streams.get(`$$${stream}`)?.at(-1)?.data)?.$maxCount
    return most === undefined ? own : own.slice(-most)
  }

  return { all, listOf, append, visible, write }
}

/** From a list with ascending places: those from a place on, or back from before it. */
export const partOf = (
  list: readonly Stored[],
  place: (one: Stored) => number,
  { from, isBack, most }: { from: number | undefined; isBack: boolean; most: number },
): readonly Stored[] => {
  let low = 0
  for (let high = list.length; low < high;) {
    const middle = (low + high) >> 1
    if (place(list[middle] as Stored) < (from ?? (isBack ? Infinity : -1))) low = middle + 1
    else high = middle
  }
  return isBack
    ? list.slice(Math.max(0, low - most), low).toReversed()
    : list.slice(low, low + most)
}
