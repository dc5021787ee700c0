import {
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
} from '@grpc/grpc-js'
import type shared from '@eventstore/db-client/generated/shared_pb.js'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import { noStream } from '../../../application/event-store.ts'
import { batchResponse, leadsNoMore, unaryResponse } from './answers.ts'
import { appendAsNode } from './expectations.ts'
import {
  failure,
  failureOf,
  json,
  streamIdentifier,
  streamName,
} from '../../../audit/eventstoredb-server/messages.ts'
import type { EventLog } from '../../../infrastructure/event-store/sqlite-event-log.ts'
import type {
  Expectation,
  NewRow,
} from '../../../infrastructure/event-store/sqlite-event-writer.ts'

type BatchRequest = InstanceType<typeof streams.BatchAppendReq>
type BatchResponse = InstanceType<typeof streams.BatchAppendResp>
type BatchOptions = InstanceType<typeof streams.BatchAppendReq.Options>
type AppendRequest = InstanceType<typeof streams.AppendReq>
type AppendResponse = InstanceType<typeof streams.AppendResp>
type AppendOptions = InstanceType<typeof streams.AppendReq.Options>
type Proposed =
  | InstanceType<typeof streams.BatchAppendReq.ProposedMessage>
  | InstanceType<typeof streams.AppendReq.ProposedMessage>

const uint64 = (signed: string): bigint => BigInt.asUintN(64, BigInt(signed))

/** The 16 bytes of an id, sent as text or as two halves. */
const uuidBytes = (id: InstanceType<typeof shared.UUID> | undefined): Buffer => {
  const halves = id?.getStructured()
  const hex = halves
    ? [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
        .map((half) => uint64(half).toString(16).padStart(16, '0'))
        .join('')
    : (id?.getString() ?? '').replaceAll('-', '')
  return Buffer.from(hex, 'hex')
}

const looksLikeJson = /^\s*[{[]/

/** Stores JSON as text, so that it can be read without this protocol. */
const content = (bytes: Uint8Array, isJson: boolean): string | Uint8Array => {
  if (!isJson) return bytes
  const text = Buffer.from(bytes).toString()
  JSON.parse(text)
  return text
}

const newRow = (message: Proposed): NewRow => {
  const properties = message.getMetadataMap()
  const isJson = properties.get('content-type') === json
  const metadata = Buffer.from(message.getCustomMetadata_asU8())
  return {
    id: uuidBytes(message.getId()),
    type: properties.get('type') ?? '',
    data: content(message.getData_asU8(), isJson),
    metadata:
      metadata.length === 0 ? null : content(metadata, looksLikeJson.test(metadata.toString())),
  }
}

const expectation = (options: BatchOptions | AppendOptions, revision: string): Expectation => {
  if (options.hasAny()) return 'any'
  if (options.hasStreamExists()) return 'exists'
  return options.hasNoStream() ? noStream : Number(revision)
}

/** Answers both kinds of appends in the protocol, and accepts what a node accepts. */
export const answerAppends = (log: EventLog, term: () => number) => {
  const append = appendAsNode(log)

  /**
   * A long-lived call carries a client's appends; each comes in parts and is answered under its id.
   */
  const batchAppend = (call: ServerDuplexStream<BatchRequest, BatchResponse>): void => {
    const unfinished = new Map<string, { options: BatchOptions | undefined; rows: NewRow[] }>()
    const inFlight = new Set<Promise<void>>()
    const opened = term()

    const answer = async (
      id: BatchRequest['getCorrelationId'],
      options: BatchOptions,
      rows: readonly NewRow[],
    ): Promise<void> => {
      const stream = streamName(options.getStreamIdentifier())
      const expected = expectation(options, options.getStreamPosition())
      const isLed = term() === opened
      const response = isLed
        ? batchResponse(await append(stream, rows, expected), expected)
        : leadsNoMore()
      call.write(response.setCorrelationId(id()).setStreamIdentifier(streamIdentifier(stream)))
    }

    const receive = (request: BatchRequest): void => {
      const id = uuidBytes(request.getCorrelationId()).toString('hex')
      const known = unfinished.get(id)
      const options = known?.options ?? request.getOptions()
      const rows = [...(known?.rows ?? []), ...request.getProposedMessagesList().map(newRow)]
      unfinished.set(id, { options, rows })
      if (!request.getIsFinal()) return
      unfinished.delete(id)
      if (!options) throw failure(status.INVALID_ARGUMENT, 'an append without options')
      const answering = answer(() => request.getCorrelationId(), options, rows)
        .catch((error: unknown) => void call.emit('error', failureOf(error)))
        .finally(() => inFlight.delete(answering))
      inFlight.add(answering)
    }

    call.on('data', (request: BatchRequest) => {
      try {
        receive(request)
      } catch (error) {
        call.emit('error', failureOf(error))
      }
    })
    call.on('end', () => void Promise.allSettled(inFlight).then(() => call.end()))
  }

  const appendOnce = async (
    call: ServerReadableStream<AppendRequest, AppendResponse>,
  ): Promise<AppendResponse> => {
    let options: AppendOptions | undefined
    const rows: NewRow[] = []
    for await (const request of call as AsyncIterable<AppendRequest>) {
      options ??= request.getOptions()
      const message = request.getProposedMessage()
      if (message) rows.push(newRow(message))
    }
    if (!options) throw failure(status.INVALID_ARGUMENT, 'an append without options')
    const expected = expectation(options, options.getRevision())
    return unaryResponse(
      await append(streamName(options.getStreamIdentifier()), rows, expected),
      expected,
    )
  }

  return {
    batchAppend,
    append: (
      call: ServerReadableStream<AppendRequest, AppendResponse>,
      answer: sendUnaryData<AppendResponse>,
    ): void => {
      appendOnce(call).then(
        (response) => answer(null, response),
        (error: unknown) => answer(failureOf(error)),
      )
    },
  }
}
