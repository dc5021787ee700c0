import { Metadata, status } from '@grpc/grpc-js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { StoreUnavailable } from '../../application/event-store.ts'
import { uuidOf } from '../../infrastructure/event-store/event-entry.ts'
import type { Row } from '../../infrastructure/event-store/sqlite-event-rows.ts'

const ticksPerMillisecond = 10_000n

export const json = 'application/json'
const binary = 'application/octet-stream'

/** Clients distinguish failures by the trailer `exception` first, then by the status. */
type ProtocolFailure = {
  readonly code: status
  readonly details: string
  readonly metadata: Metadata
}

export const failure = (
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): ProtocolFailure => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value)
  return { code, details, metadata }
}

export const accessDenied = (): ProtocolFailure =>
  failure(status.PERMISSION_DENIED, 'this log can only be read', { exception: 'access-denied' })

export const unauthenticated = (): ProtocolFailure =>
  failure(status.UNAUTHENTICATED, 'give the name and the token of an auditor as credentials')

export const tooMany = (most: number): ProtocolFailure =>
  failure(status.RESOURCE_EXHAUSTED, `${most} reads are under way: try again when one has ended`)

/** The failure of a node that is starting. */
export const notReady = (): ProtocolFailure => failure(status.UNAVAILABLE, 'Server Is Not Ready')

/** The failure of a live subscription that cannot keep up with the writers. */
export const tooSlow = (): ProtocolFailure =>
  failure(
    status.ABORTED,
    'Consumer too slow to handle event while live. Client resubscription required.',
  )

/**
 * As reported to a client: the log is unavailable, the request is invalid, or the fault is ours.
 */
export const failureOf = (error: unknown): ProtocolFailure => {
  if (!(error instanceof Error)) return error as ProtocolFailure
  if (error instanceof StoreUnavailable) return failure(status.UNAVAILABLE, error.message)
  const code = error instanceof SyntaxError ? status.INVALID_ARGUMENT : status.INTERNAL
  return failure(code, error.message)
}

export const streamName = (
  identifier: InstanceType<typeof shared.StreamIdentifier> | undefined,
): string => Buffer.from(identifier?.getStreamName_asU8() ?? []).toString()

export const streamIdentifier = (name: string): InstanceType<typeof shared.StreamIdentifier> =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name))

const bytes = (content: string | Buffer): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : content

const half = (digits: string): string => `${BigInt.asIntN(64, BigInt(`0x${digits}`))}`

/** Clients request ids as text or as two halves. */
const uuid = (id: string, isStructured: boolean): InstanceType<typeof shared.UUID> =>
  isStructured
    ? new shared.UUID().setStructured(
        new shared.UUID.Structured()
          .setMostSignificantBits(half(id.slice(0, 16)))
          .setLeastSignificantBits(half(id.slice(16))),
      )
    : new shared.UUID().setString(uuidOf(id))

/** An event as sent for reads and subscriptions. */
export const eventMessage = (
  row: Row,
  isStructured = false,
): InstanceType<typeof streams.ReadResp> => {
  const [position, stream, revision, id, type, data, metadata, recorded] = row
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuid(id, isStructured))
    .setStreamIdentifier(streamIdentifier(stream))
    .setStreamRevision(`${revision}`)
    .setCommitPosition(`${position}`)
    .setPreparePosition(`${position}`)
    .setData(bytes(data))
  if (metadata !== null) event.setCustomMetadata(bytes(metadata))
  event
    .getMetadataMap()
    .set('type', type)
    .set('content-type', typeof data === 'string' ? json : binary)
    .set('created', `${BigInt(recorded) * ticksPerMillisecond}`)
  const read = new streams.ReadResp.ReadEvent().setEvent(event).setCommitPosition(`${position}`)
  return new streams.ReadResp().setEvent(read)
}
