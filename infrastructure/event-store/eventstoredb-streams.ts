import { randomUUID } from 'node:crypto'
import {
  noStream,
  WrongExpectedRevision,
  type EventStore,
  type JsonObject,
} from '../../application/event-store.ts'
import { toRecorded } from './eventstoredb-calls.ts'
import type { WithRetries } from './eventstoredb-retries.ts'
import { readEvents, type Readable } from './eventstoredb-reads.ts'
import { messageOf, type openWriter } from './eventstoredb-writer.ts'

/** Streams of the database that are not part of the log. */
export type OtherStreams = Pick<EventStore, 'append' | 'readStream'> & {
  /** Lets the database drop all but the newest events of a stream. */
  keepNewest(stream: string, count: number): Promise<void>
  /** Lets the database drop a stream's events after some seconds. */
  keepFor(stream: string, seconds: number): Promise<void>
}

type Needs = {
  readonly append: EventStore['append']
  readonly readable: Readable
  readonly read: WithRetries
  readonly writer: ReturnType<typeof openWriter>
  readonly write: WithRetries
}

export const otherStreams = ({ append, readable, read, writer, write }: Needs): OtherStreams => {
  const limit = async (stream: string, data: JsonObject): Promise<void> => {
    const metadata = { id: randomUUID(), type: '$metadata', data, metadata: {} }
    const ofStream = `$$${stream}`
    const { tryOnce, failed } = writer.sending(messageOf(ofStream, [metadata], noStream))
    const about = { doing: 'appending to', stream: ofStream } as const
    // Existing limits, set by somebody else, are kept.
    await write(about, tryOnce, failed).catch((error: unknown) => {
      if (!(error instanceof WrongExpectedRevision)) throw error
    })
  }
  return {
    append,
    readStream: readEvents({ ...readable, own: toRecorded }, read).readStream,
    keepNewest: (stream, count) => limit(stream, { $maxCount: count }),
    keepFor: (stream, seconds) => limit(stream, { $maxAge: seconds }),
  }
}
