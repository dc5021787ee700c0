import type streams from '@eventstore/db-client/generated/streams_pb.js'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import type { Row } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import { streamName } from './messages.ts'

export type Options = InstanceType<typeof streams.ReadReq.Options>

/** What a read or subscription is about, and where it starts. */
export type Source = {
  /** Undefined for the log of all events. */
  readonly stream: string | undefined
  readonly isBackwards: boolean
  /** As given by the client. */
  readonly asked: number | undefined
  readonly from: number
  readonly page: (place: number, limit: number) => Row[]
  readonly placeOf: (row: Row) => number
  /** Where to continue after a row. */
  readonly after: (row: Row) => number
  /** Position of the current last event. */
  readonly end: () => number
}

/** Maximum data per page. */
const pageBytes = 131_072

export const beyondEverything = Number.MAX_SAFE_INTEGER

export const numberOf = (uint64: string): number => Math.min(Number(uint64), beyondEverything)

const backwards = 1

export const sourceOf = (log: EventLog, options: Options): Source => {
  const isBackwards = options.getReadDirection() === backwards
  const direction = isBackwards ? 'backwards' : 'forwards'
  const ofStream = options.getStream()
  if (ofStream) {
    const stream = streamName(ofStream.getStreamIdentifier())
    const asked = ofStream.hasRevision() ? numberOf(ofStream.getRevision()) : undefined
    return {
      ...{ stream, isBackwards, asked },
      from: asked ?? (ofStream.hasEnd() ? beyondEverything : 0),
      page: (place, limit) => log.ofStream(stream, place, limit, direction, pageBytes),
      placeOf: ([, , revision]) => revision,
      after: ([, , revision]) => revision + (isBackwards ? -1 : 1),
      end: () => log.lastRevision(stream),
    }
  }
  const all = options.getAll()
  const position = all?.getPosition()?.getCommitPosition()
  const asked = position === undefined ? undefined : numberOf(position)
  return {
    ...{ stream: undefined, isBackwards, asked },
    from: asked ?? (all?.hasEnd() ? beyondEverything : 0),
    // The log excludes the start position, the protocol includes it; backwards both exclude it.
    page: (place, limit) => log.all(isBackwards ? place : place - 1, limit, direction, pageBytes),
    placeOf: ([position]) => position,
    after: ([position]) => (isBackwards ? position : position + 1),
    end: () => log.head(),
  }
}
