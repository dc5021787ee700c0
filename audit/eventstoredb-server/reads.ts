import { setImmediate as nextTurn } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { noStream } from '../../application/event-store.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import type { Admitted } from './admission.ts'
import { chooses } from './filters.ts'
import { eventMessage, failure, failureOf, notReady, streamIdentifier } from './messages.ts'
import { isStructured, pageSize, sizeOf, type Reading } from './reading.ts'
import { sendsTo, type ReadCall, type Response } from './send.ts'
import { numberOf, sourceOf, type Source } from './source.ts'
import { subscribe } from './subscriptions.ts'

export type ReadSettings = {
  /** Admits a call; `about` is the stream, or `$all`. @throws ProtocolFailure */
  readonly admit?: (call: ReadCall, about: string) => Promise<Admitted>
  /** How many events a live subscription may lag before it is ended, as on a node. */
  readonly maximumLag?: number
  /** If false, calls fail as on a node that is starting. */
  readonly isReady?: () => boolean
}

const notFound = (stream: string): Response =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
  )

const read = async ({ log, options, source, send, check }: Reading): Promise<void> => {
  const { stream, from, page, placeOf, after, isBackwards } = source
  const choose = chooses(options.getFilter())
  const structured = isStructured(options)
  let wanted = numberOf(options.getCount())
  if (wanted === 0) throw failure(status.UNKNOWN, 'a read of no events')
  if (stream !== undefined && log.lastRevision(stream) === noStream) return send(notFound(stream))
  // Events that arrive while a slow client reads are for its next read.
  const end = isBackwards ? Infinity : source.end()
  for (let place = from; wanted > 0 && place <= end;) {
    const rows = page(place, Math.min(pageSize, wanted))
    await check()
    for (const row of choose(rows)) {
      if (wanted === 0 || placeOf(row) > end) return
      await send(eventMessage(row, structured), sizeOf(row))
      wanted -= 1
    }
    const last = rows.at(-1)
    if (!last) return
    place = after(last)
    await nextTurn()
  }
}

/** The stream, if it exists: other client input is not recorded. */
const aboutOf = ({ stream, end }: Source): string => {
  if (stream === undefined) return '$all'
  return end() === noStream ? 'a stream that is not there' : stream
}

const everybody = async (): Promise<Admitted> => ({ leave: () => {}, check: async () => {} })

/** Answers reads and subscriptions of one stream or of all. */
export const answerReads = (log: EventLog, settings: ReadSettings = {}) => {
  const { admit = everybody, maximumLag = Infinity, isReady = () => true } = settings

  const answer = async (call: ReadCall, signal: AbortSignal): Promise<void> => {
    if (!isReady()) throw notReady()
    const options = call.request.getOptions() ?? new streams.ReadReq.Options()
    const source = sourceOf(log, options)
    const { leave, check } = await admit(call, aboutOf(source))
    try {
      const { send, sent } = sendsTo(call, signal)
      const reading = { log, options, source, send, check, signal }
      await (options.hasSubscription() ? subscribe(reading, maximumLag) : read(reading))
      await sent()
    } finally {
      leave()
    }
  }

  return (call: ReadCall): void => {
    const left = new AbortController()
    call.on('cancelled', () => left.abort())
    answer(call, left.signal).then(
      () => call.end(),
      (error: unknown) => {
        if (!left.signal.aborted) call.emit('error', failureOf(error))
      },
    )
  }
}
