import { status, type ServerWritableStream } from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { noStream, StoreUnavailable } from '../../application/event-store.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import type { Admitted } from './admission.ts'
import {
  eventMessage,
  failure,
  failureOf,
  notReady,
  streamIdentifier,
  tooSlow,
  streamName,
} from './messages.ts'
import type { Row } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import { createContext, Script } from 'node:vm'
import { nextTurn, randomUUID } from '../../application/machine.ts'

type Filter = InstanceType<typeof streams.ReadReq.Options.FilterOptions>

/** Selects the rows of a page that the client's filter matches. @throws ProtocolFailure */
type Choose = (page: readonly Row[]) => readonly Row[]

const longestPattern = 1_000

const mostPrefixes = 1_000

/** Timeout of a pattern per call. */
const patience = { timeout: 30 }

/** Processor time per page: on a busy machine a good pattern may be delayed. */
const mostMicroseconds = 20_000

// The client's pattern is data, not code; the script only provides the timeout.
const context = createContext({ regex: /-/, texts: [] as string[] })

const testAll = new Script('texts.map((text) => regex.test(text))')

/**
 * Patterns that exclude literal prefixes run in linear time and need no timeout. A script with a
 * timeout costs as much as sending an event.
 */
const linear = /^\^\(\?!\\\$(?:\|\(\?:[\w\\.|]+\)\(\?:-\|\$\))?\)$/

const refuse = (what: string): never => {
  throw failure(status.INVALID_ARGUMENT, what)
}

const testWithin = (regex: RegExp, texts: readonly string[]): readonly boolean[] => {
  Object.assign(context, { regex, texts })
  const begun = process.cpuUsage()
  while (process.cpuUsage(begun).user < mostMicroseconds)
    try {
      return testAll.runInContext(context, patience)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    }
  return refuse('this pattern takes too long: give prefixes instead')
}

/**
 * Matches the stream name or event type by prefixes or by a pattern. @throws ProtocolFailure,
 * SyntaxError
 */
const chooses = (filter: Filter | undefined): Choose => {
  const ofType = filter?.getEventType()
  const expression = ofType ?? filter?.getStreamIdentifier()
  if (!expression) return (page) => page
  const [prefixes, pattern] = [expression.getPrefixList(), expression.getRegex()]
  const textOf = ([, stream, , , type]: Row): string => (ofType ? type : stream)
  if (pattern === '') {
    if (prefixes.length > mostPrefixes) refuse(`give ${mostPrefixes} prefixes at most`)
    return (page) => page.filter((row) => prefixes.some((prefix) => textOf(row).startsWith(prefix)))
  }
  if (pattern.length > longestPattern) refuse(`a pattern has ${longestPattern} characters at most`)
  const regex = new RegExp(pattern)
  if (linear.test(pattern)) return (page) => page.filter((row) => regex.test(textOf(row)))
  return (page) => {
    const found = testWithin(regex, page.map(textOf))
    return page.filter((_, index) => found[index])
  }
}

type Options = InstanceType<typeof streams.ReadReq.Options>

/** What a read or subscription is about, and where it starts. */
type Source = {
  /** Undefined for the log of all events. */
  readonly stream: string | undefined
  readonly isBackwards: boolean
  /** As given by the client. */
  readonly requested: number | undefined
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

const beyondEverything = Number.MAX_SAFE_INTEGER

const numberOf = (uint64: string): number => Math.min(Number(uint64), beyondEverything)

const backwards = 1

const sourceOf = (log: EventLog, options: Options): Source => {
  const isBackwards = options.getReadDirection() === backwards
  const direction = isBackwards ? 'backwards' : 'forwards'
  const ofStream = options.getStream()
  if (ofStream) {
    const stream = streamName(ofStream.getStreamIdentifier())
    const requested = ofStream.hasRevision() ? numberOf(ofStream.getRevision()) : undefined
    return {
      stream,
      isBackwards,
      requested,
      from: requested ?? (ofStream.hasEnd() ? beyondEverything : 0),
      page: (place, limit) => log.ofStream(stream, place, limit, direction, pageBytes),
      placeOf: ([, , revision]) => revision,
      after: ([, , revision]) => revision + (isBackwards ? -1 : 1),
      end: () => log.lastRevision(stream),
    }
  }
  const all = options.getAll()
  const position = all?.getPosition()?.getCommitPosition()
  const requested = position === undefined ? undefined : numberOf(position)
  return {
    stream: undefined,
    isBackwards,
    requested,
    from: requested ?? (all?.hasEnd() ? beyondEverything : 0),
    // The log excludes the start position, the protocol includes it; backwards both exclude it.
    page: (place, limit) => log.all(isBackwards ? place : place - 1, limit, direction, pageBytes),
    placeOf: ([position]) => position,
    after: ([position]) => (isBackwards ? position : position + 1),
    end: () => log.head(),
  }
}

type Request = InstanceType<typeof streams.ReadReq>

type Response = InstanceType<typeof streams.ReadResp>

type ReadCall = ServerWritableStream<Request, Response>

type Send = {
  /** Waits while the client is behind. @throws after the client has disconnected */
  readonly send: (message: Response, size?: number) => Promise<void>
  /** Resolves when everything is sent. */
  readonly sent: () => Promise<void>
}

/** Maximum bytes buffered for a slow client, so that this process need not hold the whole log. */
const mostWaiting = 262_144

/** Exceeds the names and numbers of an event. */
const smallMessage = 512

const sendsTo = (call: ReadCall, signal: AbortSignal): Send => {
  let waiting = 0
  let wake = (): void => {}
  signal.addEventListener('abort', () => wake())

  const atMost = async (size: number): Promise<void> => {
    while (waiting > size) {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  return {
    send: async (message, size = 0) => {
      signal.throwIfAborted()
      const whole = size + smallMessage
      waiting += whole
      call.write(message, () => {
        waiting -= whole
        wake()
      })
      if (waiting > mostWaiting) await atMost(mostWaiting / 2)
    },
    sent: () => atMost(0),
  }
}

/** A client's call, and what it reads. */
type Reading = {
  readonly log: EventLog
  readonly options: Options
  readonly source: Source
  readonly send: Send['send']
  /** Call between reading a page and sending it. @throws once the caller may no longer read */
  readonly check: () => Promise<void>
  readonly signal: AbortSignal
}

/** Maximum number of rows per read. */
const pageSize = 500

const sizeOf = ([, , , , , data, metadata]: Row): number =>
  Buffer.byteLength(data) + (metadata === null ? 0 : Buffer.byteLength(metadata))

/** Whether the client requests ids as two halves. */
const isStructured = (options: Options): boolean =>
  options.getUuidOption()?.hasStructured() ?? false

/** Default number of events between two checkpoints. */
const usualWindow = 32

const checkpointAt = (position: number): Response =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(`${position}`)
      .setPreparePosition(`${position}`),
  )

const caughtUp = (): Response => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())

const confirmation = (): Response =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
  )

/** A subscription excludes the given position, a read includes it. */
const firstPlace = ({ from, requested, end }: Source): number => {
  if (from === beyondEverything) return end() + 1
  return requested === undefined ? from : requested + 1
}

/** Sends existing events, then new ones, until the client disconnects. */
const subscribe = async (reading: Reading, maximumLag: number): Promise<void> => {
  const { log, options, source, send, check, signal } = reading
  const filter = options.getFilter()
  const choose = chooses(filter)
  const structured = isStructured(options)
  const window =
    (filter?.getMax() || usualWindow) * (filter?.getCheckpointintervalmultiplier() || 1)
  let place = firstPlace(source)
  let considered = 0
  let isLive = false
  await send(confirmation())
  while (!signal.aborted) {
    const [head, end] = [log.head(), source.end()]
    const rows = source.page(place, Math.min(pageSize, maximumLag + 1))
    await check()
    const last = rows.at(-1)
    if (isLive && rows.length > maximumLag) throw tooSlow()
    // A node reports no "caught up" while the stream does not exist; otherwise it does so with the
    // last event.
    const isThere = source.stream === undefined || end > noStream
    const isCaughtUp = !isLive && isThere && (!last || source.placeOf(last) >= end)
    if (isCaughtUp) isLive = true
    const chosen = new Set(choose(rows))
    for (const row of rows) {
      place = source.after(row)
      considered += 1
      if (chosen.has(row)) await send(eventMessage(row, structured), sizeOf(row))
      if (filter && considered % window === 0) await send(checkpointAt(row[0]))
    }
    if (isCaughtUp) await send(caughtUp())
    if (last) await nextTurn()
    else await log.grown(head, signal)
    if (log.isClosed) throw new StoreUnavailable('the event log is closed')
  }
}

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
  let count = numberOf(options.getCount())
  if (count === 0) throw failure(status.UNKNOWN, 'a read of no events')
  if (stream !== undefined && log.lastRevision(stream) === noStream) return send(notFound(stream))
  // Events that arrive while a slow client reads are for its next read.
  const end = isBackwards ? Infinity : source.end()
  for (let place = from; count > 0 && place <= end;) {
    const rows = page(place, Math.min(pageSize, count))
    await check()
    for (const row of choose(rows)) {
      if (count === 0 || placeOf(row) > end) return
      await send(eventMessage(row, structured), sizeOf(row))
      count -= 1
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
