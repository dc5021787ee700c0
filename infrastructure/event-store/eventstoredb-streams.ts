import type { Credentials } from '@eventstore/db-client'
import {
  noStream,
  WrongExpectedRevision,
  type EventStore,
  type JsonObject,
} from '../../application/event-store.ts'
import { toRecorded } from './eventstoredb-calls.ts'
import { clientFor, partsOf } from './eventstoredb-connection.ts'
import type { WithRetries } from './eventstoredb-retries.ts'
import { readEvents, type Readable } from './eventstoredb-reads.ts'
import { messageOf, sendingAlone, type openWriter, type Sending } from './eventstoredb-writer.ts'
import { randomUUID } from '../../application/machine.ts'

type Streams = Pick<EventStore, 'append' | 'readStream'>

/** Streams of the database that are not part of the log. */
export type OtherStreams = Streams & {
  /** Does not wait behind other calls. */
  readonly urgent: Streams
  /** Lets the database drop all but the newest events of a stream. */
  keepNewest(stream: string, count: number): Promise<void>
  /** Lets the database drop a stream's events after some seconds. */
  keepFor(stream: string, seconds: number): Promise<void>
}

type Needs = {
  readonly connectionString: string
  readonly appendBy: (sending: Sending) => EventStore['append']
  readonly readable: Readable
  readonly read: WithRetries
  readonly writer: ReturnType<typeof openWriter>
  readonly write: WithRetries
}

/** Without TLS any credentials will do; a client certificate is not one. */
const credentialsIn = (connectionString: string): Credentials | undefined => {
  const { defaultCredentials, tls } = partsOf(connectionString)
  return defaultCredentials ?? (tls === false ? { username: 'daybook', password: '' } : undefined)
}

/** The same streams over a connection of their own, made when it is first used. */
const openUrgent = ({ connectionString, appendBy, readable, read }: Needs) => {
  const credentials = credentialsIn(connectionString)
  if (!credentials) return
  let opened: ReturnType<typeof clientFor> | undefined
  const open = () => {
    const client = (opened ??= clientFor(connectionString)).current
    const { readStream } = readEvents({ ...readable, client, own: toRecorded }, read)
    return { append: appendBy(sendingAlone(client, credentials)), readStream }
  }
  let made: Streams | undefined
  const streams: Streams = {
    append: (...given) => (made ??= open()).append(...given),
    readStream: (...given) => (made ??= open()).readStream(...given),
  }
  const lost = (began: number): void => opened?.lost(began)
  return { streams, lost, close: async () => opened?.close() }
}

/** The streams, and what becomes of their connection. */
type Connected = OtherStreams & { lost(began: number): void; close(): Promise<void> }

export const otherStreams = (needs: Needs): Connected => {
  const { appendBy, readable, read, writer, write } = needs
  const { readStream } = readEvents({ ...readable, own: toRecorded }, read)
  const usual = { append: appendBy(writer.sending), readStream }
  const urgent = openUrgent(needs)
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
    ...usual,
    urgent: urgent?.streams ?? usual,
    keepNewest: (stream, count) => limit(stream, { $maxCount: count }),
    keepFor: (stream, seconds) => limit(stream, { $maxAge: seconds }),
    lost: (began) => urgent?.lost(began),
    close: async () => void (await urgent?.close()),
  }
}
