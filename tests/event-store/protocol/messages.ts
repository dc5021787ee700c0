import { Metadata, status } from '@grpc/grpc-js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { StoreUnavailable } from '../../../application/event-store.ts'
import type { Row } from '../../../infrastructure/event-store/sqlite-event-rows.ts'

const ticksPerMillisecond = 10_000n

export const json = 'application/json'
const binary = 'application/octet-stream'

/** A failure as the client tells failures apart: by the trailer `exception` first, then by the status. */
export type ProtocolFailure = {
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

/** What a node says while it is starting. */
export const notReady = (): ProtocolFailure => failure(status.UNAVAILABLE, 'Server Is Not Ready')

/** What a node says before it ends a live subscription whose consumer cannot keep up with the writers. */
export const tooSlow = (): ProtocolFailure =>
  failure(
    status.ABORTED,
    'Consumer too slow to handle event while live. Client resubscription required.',
  )

/** What went wrong as a client is told: that the log cannot be reached, that it asked nonsense, or our own mistake. */
export const failureOf = (error: unknown): ProtocolFailure => {
  if (!(error instanceof Error)) return error as ProtocolFailure
  if (error instanceof StoreUnavailable) return failure(status.UNAVAILABLE, error.message)
  const code = error instanceof SyntaxError ? status.INVALID_ARGUMENT : status.INTERNAL
  return failure(code, error.message)
}

const uuidPattern = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

const uuidText = (id: string): string => id.replace(uuidPattern, '$1-$2-$3-$4-$5')

const uint64 = (signed: string): bigint => BigInt.asUintN(64, BigInt(signed))

/** The 16 bytes of an id, which clients send as text or as two halves. */
export const uuidBytes = (id: InstanceType<typeof shared.UUID> | undefined): Buffer => {
  const halves = id?.getStructured()
  const hex = halves
    ? [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
        .map((half) => uint64(half).toString(16).padStart(16, '0'))
        .join('')
    : (id?.getString() ?? '').replaceAll('-', '')
  return Buffer.from(hex, 'hex')
}

export const streamName = (
  identifier: InstanceType<typeof shared.StreamIdentifier> | undefined,
): string => Buffer.from(identifier?.getStreamName_asU8() ?? []).toString()

export const streamIdentifier = (name: string): InstanceType<typeof shared.StreamIdentifier> =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name))

const bytes = (content: string | Buffer): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : content

/** An event as a read or a subscription hands it out. */
export const eventMessage = (row: Row): InstanceType<typeof streams.ReadResp> => {
  const [position, stream, revision, id, type, data, metadata, recorded] = row
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(uuidText(id)))
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
