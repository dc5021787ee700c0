import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { status, type ServerWritableStream } from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { noStream, StoreUnavailable } from '../../../application/event-store.ts'
import {
  eventMessage,
  failure,
  failureOf,
  notReady,
  streamIdentifier,
  streamName,
  tooSlow,
} from './messages.ts'
import type { EventLog } from '../../../infrastructure/event-store/sqlite-event-log.ts'
import type { Row } from '../../../infrastructure/event-store/sqlite-event-rows.ts'

type Request = InstanceType<typeof streams.ReadReq>
type Response = InstanceType<typeof streams.ReadResp>
type Options = InstanceType<typeof streams.ReadReq.Options>
type Filter = InstanceType<typeof streams.ReadReq.Options.FilterOptions>
type Call = ServerWritableStream<Request, Response>

/** Where a read goes on: a page of rows and the place after it. */
type Source = (place: number, limit: number) => Row[]

const pageSize = 500
const beyondEverything = Number.MAX_SAFE_INTEGER
const placeOf = (uint64: string): number => Math.min(Number(uint64), beyondEverything)

type Matcher = (row: Row) => boolean

/** What a subscription lets through: by prefixes or by a pattern, of the stream's name or of the event's type. */
const matcher = (filter: Filter | undefined): Matcher => {
  const ofType = filter?.getEventType()
  const expression = ofType ?? filter?.getStreamIdentifier()
  if (!expression) return () => true
  const [prefixes, pattern] = [expression.getPrefixList(), expression.getRegex()]
  const regex = pattern === '' ? undefined : new RegExp(pattern)
  return ([, stream, , , type]) => {
    const text = ofType ? type : stream
    return regex ? regex.test(text) : prefixes.some((prefix) => text.startsWith(prefix))
  }
}

const notFound = (stream: string): Response =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
  )

const checkpointAt = (position: number): Response =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(`${position}`)
      .setPreparePosition(`${position}`),
  )

const caughtUp = (): Response => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())

/** Sends together, at the pace of the client: a slow one must not make this process hold the whole log. */
const sender =
  (call: Call, signal: AbortSignal) =>
  async (...messages: readonly Response[]) => {
    const isFull = messages.map((message) => call.write(message)).includes(false)
    if (isFull) await once(call, 'drain', { signal })
  }

type Send = ReturnType<typeof sender>

/** The rows that a read or a subscription is about, and where it begins. */
const sourceOf = (log: EventLog, options: Options) => {
  const isBackwards = options.getReadDirection() === 1
  const direction = isBackwards ? 'backwards' : 'forwards'
  const step = isBackwards ? -1 : 1
  const ofStream = options.getStream()
  if (ofStream) {
    const name = streamName(ofStream.getStreamIdentifier())
    const asked = ofStream.hasRevision() ? placeOf(ofStream.getRevision()) : undefined
    const from = asked ?? (ofStream.hasEnd() ? beyondEverything : 0)
    const rows: Source = (place, limit) => log.ofStream(name, place, limit, direction)
    return { stream: name, asked, from, rows, next: ([, , revision]: Row) => revision + step }
  }
  const all = options.getAll()
  const position = all?.getPosition()?.getCommitPosition()
  const asked = position === undefined ? undefined : placeOf(position)
  const from = asked ?? (all?.hasEnd() ? beyondEverything : 0)
  // The log counts rows after a place, the protocol from a place on; backwards both leave the place itself out.
  const rows: Source = (place, limit) => log.all(isBackwards ? place : place - 1, limit, direction)
  return { stream: undefined, asked, from, rows, next: ([at]: Row) => (isBackwards ? at : at + 1) }
}

const read = async (log: EventLog, options: Options, send: Send): Promise<void> => {
  const { stream, from, rows, next } = sourceOf(log, options)
  const matches = matcher(options.getFilter())
  let wanted = placeOf(options.getCount())
  if (wanted === 0) throw failure(status.UNKNOWN, 'a read of no events')
  if (stream !== undefined && log.lastRevision(stream) === noStream) return send(notFound(stream))
  const end = log.head()
  for (let place = from; wanted > 0;) {
    const page = rows(place, Math.min(pageSize, wanted))
    for (const row of page) {
      if (row[0] > end) return
      if (!matches(row)) continue
      await send(eventMessage(row))
      wanted -= 1
    }
    const last = page.at(-1)
    if (!last) return
    place = next(last)
    await nextTurn()
  }
}

/** Sends what is there and then what comes, until the client leaves; runs as long as there is more. */
const subscribe = async (
  log: EventLog,
  options: Options,
  send: Send,
  signal: AbortSignal,
  maximumLag: number,
): Promise<void> => {
  const { stream, asked, from, rows, next } = sourceOf(log, options)
  const filter = options.getFilter()
  const matches = matcher(filter)
  const window = (filter?.getMax() || 32) * (filter?.getCheckpointintervalmultiplier() || 1)
  // A subscription begins after the place it is given, a read with it.
  let place = asked === undefined ? from : asked + 1
  if (from === beyondEverything) place = stream ? log.lastRevision(stream) + 1 : log.head() + 1
  let considered = 0
  let isLive = false
  const confirmation = new streams.ReadResp.SubscriptionConfirmation()
  await send(new streams.ReadResp().setConfirmation(confirmation.setSubscriptionId(randomUUID())))
  while (!signal.aborted) {
    const head = log.head()
    const most = Math.min(pageSize, maximumLag + 1)
    const page = rows(place, most)
    if (isLive && page.length > maximumLag) throw tooSlow()
    // A node has nothing to be caught up with while the stream does not exist; else it says so with the last event.
    const isThere = stream === undefined || log.lastRevision(stream) > noStream
    const isCaughtUp = !isLive && page.length < most && isThere
    if (isCaughtUp) isLive = true
    for (const row of page) {
      place = next(row)
      considered += 1
      const messages = matches(row) ? [eventMessage(row)] : []
      if (filter && considered % window === 0) messages.push(checkpointAt(row[0]))
      if (isCaughtUp && row === page.at(-1)) messages.push(caughtUp())
      await send(...messages)
    }
    if (isCaughtUp && page.length === 0) await send(caughtUp())
    if (page.length > 0) await nextTurn()
    else await log.grown(head, signal)
    if (log.isClosed) throw new StoreUnavailable('the event log is closed')
  }
}

/** Answers reads and subscriptions, of one stream or of all. */
export const answerReads =
  (log: EventLog, maximumLag: number, isReady: () => boolean) =>
  (call: Call): void => {
    if (!isReady()) return void call.emit('error', notReady())
    const left = new AbortController()
    call.on('cancelled', () => left.abort())
    const options = call.request.getOptions() ?? new streams.ReadReq.Options()
    const send = sender(call, left.signal)
    const answering = options.hasSubscription()
      ? subscribe(log, options, send, left.signal, maximumLag)
      : read(log, options, send)
    answering.then(
      () => call.end(),
      (error: unknown) => {
        if (!left.signal.aborted) call.emit('error', failureOf(error))
      },
    )
  }
