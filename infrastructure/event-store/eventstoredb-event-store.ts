import {
  convertToCommandError,
  AccessDeniedError,
  CancelledError,
  TimeoutError,
} from '@eventstore/db-client'
import {
  StoreRefused,
  StoreUnavailable,
  type EventStore,
  type RecordedEvent,
  type Outage,
  type Position,
} from '../../application/event-store.ts'
import { acceptAppend } from './event-entry.ts'
import { problemOfContact, clientFor } from './eventstoredb-connection.ts'
import {
  exact,
  ignore,
  toRecorded,
  type Own,
  isDecided,
  userIn,
  type About,
  verdict,
} from './eventstoredb-calls.ts'
import { makeFilter, readEnd } from './eventstoredb-read-calls.ts'
import { readEvents, type Readable } from './eventstoredb-reads.ts'
import { knownEnd, type KnownEnd } from './eventstoredb-head.ts'
import { watchOutages, watchRight, type Outages } from './eventstoredb-outage.ts'
import { withRetries, type Ask, type Timeouts, type WithRetries } from './eventstoredb-retries.ts'
import {
  otherStreams,
  type OtherStreams,
  messageOf,
  openWriter,
  type Sending,
} from './eventstoredb-writer.ts'
import { endOf, placeAfter, subscribe, type Arrived } from './eventstoredb-subscription.ts'
import { pause, setTimeout, steadyTime } from '../../application/machine.ts'

const firstPause = 20

/** Other processes may keep accepting revoked credentials for this long. */
const longestPause = 500

/** Delay before retrying after denied access, in ms. */
const pauseAfterDenial = 1_000

/**
 * A node ends a live subscription that is slower than the writers, and cancels all of them when it
 * shuts down; both are resumed at once. If the server is gone, the next attempt fails.
 */
const isOrdinary = (error: unknown, failures: number): boolean =>
  failures === 0 && (error instanceof TimeoutError || error instanceof CancelledError)

const pauseAfter = (error: unknown, failures: number): number => {
  const hasEnded = error === undefined && failures === 0
  if (hasEnded || isOrdinary(error, failures)) return 0
  if (error instanceof AccessDeniedError) return pauseAfterDenial
  return Math.min(longestPause, firstPause * 2 ** Math.min(failures, 10))
}

/** Updates the known end of the log from what a follower received. */
const noteEnd = ({ own, filter, known }: Readable, after: Position) => {
  let newest: Position | undefined
  return (arrived: Arrived): RecordedEvent[] => {
    const events = arrived.events.flatMap((resolved) => {
      const event = own(resolved)
      filter.note(resolved, event !== undefined)
      return event ?? []
    })
    newest = events.at(-1)?.position ?? newest
    // It knows nothing about events before its position.
    if (newest !== undefined || after <= known.looked()) known.note(endOf(arrived), newest)
    return events
  }
}

type Needs = Readable & {
  readonly outages: Outages
  readonly about: About
  readonly outage?: Outage | undefined
}

const unreportedOutage: Outage = { failed: ignore, worked: ignore }

/** All events after a position until the signal aborts, across reconnections. */
async function* followAll(
  { outages, about, outage = unreportedOutage, ...readable }: Needs,
  after: Position,
  signal: AbortSignal,
): AsyncGenerator<RecordedEvent[]> {
  const oursIn = noteEnd(readable, after)
  const onConfirmed = (): void => {
    outages.worked()
    outage.worked()
  }
  const place = placeAfter(after)
  for (let failures = 0; !signal.aborted; failures++) {
    const began = steadyTime()
    let failure: unknown
    try {
      for await (const arrived of subscribe({ ...readable, signal, onConfirmed }, place.at())) {
        failures = 0
        const events = oursIn(arrived)
        if (events.length > 0) yield events
        place.move(arrived)
        if (signal.aborted) return
      }
    } catch (error) {
      // An inexact position stays so however often it is read.
      if (error instanceof RangeError) throw error
      failure = error
      const decided = verdict(error, about)
      if (!decided && failures > 0) outages.failed(began, error)
      if (!signal.aborted && !isOrdinary(error, failures)) outage.failed(decided ?? error)
    }
    await pause(pauseAfter(failure, failures), { signal }).catch(ignore)
  }
}

/** Longer than a cluster takes to elect a leader. */
const usualTimeouts: Timeouts = {
  attempt: 3_000,
  altogether: 10_000,
  election: 5_000,
  // A stop may take ten seconds: what was done is recorded first.
  ending: 7_000,
}

type Options = {
  readonly isOurs?: (event: RecordedEvent) => boolean
  readonly timeouts?: Partial<Timeouts> | undefined
}

type ConnectedStore = EventStore & {
  readonly canBeWritten: () => boolean
  /** Why it cannot be used. */
  readonly failure: () => unknown
  readonly streams: OtherStreams
  readonly beginEnding: () => void
  readonly end: KnownEnd
}

type Right = ReturnType<typeof watchRight>

/** A refusal is a response too. */
const answered =
  (ask: (timeout: number) => Promise<unknown>) =>
  (timeout: number): Promise<unknown> =>
    ask(timeout).catch((thrown: unknown) => {
      const error = thrown instanceof Error ? convertToCommandError(thrown) : thrown
      if (!isDecided(error)) throw error
    })

/** A read that failed before any answer: the settings may be wrong, so says what to change. */
const explained = async (error: unknown, connectionString: string): Promise<unknown> => {
  if (!(error instanceof StoreUnavailable) || error instanceof StoreRefused) return error
  const problem = await problemOfContact(connectionString).catch(ignore)
  return problem === undefined ? error : new StoreUnavailable(problem, { cause: error })
}

/** Calls while the store is open; closing waits for them. */
const callsOf = (connectionString: string, usual: Timeouts) => {
  const user = userIn(connectionString)
  let wasThere = false
  /** How to abort each call in flight. */
  const inFlight = new Map<Promise<unknown>, (error: StoreUnavailable) => void>()
  let endsAt = Infinity
  let isClosed = false

  const giveUp = (calls: readonly ((error: StoreUnavailable) => void)[]): void => {
    const error = new StoreUnavailable('EventStoreDB has not answered, and the service ends')
    for (const fail of calls) fail(error)
  }

  const through =
    (outages: Outages, right: Right, others: readonly Right[] = []): WithRetries =>
    <Answer>(about: About, ask: Ask<Answer>, failed?: (error: unknown) => void) => {
      if (isClosed) return Promise.reject(new StoreUnavailable('the event store is closed'))
      const denial = others.map((other) => other.denial()).find((one) => one !== undefined)
      if (denial) return Promise.reject(denial)
      const began = steadyTime()
      const altogether = Math.max(1, Math.min(usual.altogether, endsAt - began))
      const timeouts = { ...usual, altogether }
      const needs = { timeouts, outages, about: { ...about, user } }
      let fail: (error: StoreUnavailable) => void = ignore
      const answer = new Promise<Answer>((resolve, reject) => {
        fail = (error) => {
          outages.failed(began, error)
          reject(error)
        }
        const mayExplain = !wasThere && about.doing === 'reading' && !outages.away()
        withRetries(needs, ask, failed).then(resolve, (error: unknown) => {
          if (wasThere || !mayExplain) reject(error)
          else explained(error, connectionString).then(reject, reject)
        })
      })
      answer.then(() => (wasThere = true), ignore)
      answer.catch((error: unknown) => {
        if (error instanceof StoreRefused) right.denied(error)
      })
      const leave = (): void => void inFlight.delete(answer)
      inFlight.set(answer, fail)
      answer.then(leave, leave)
      return answer
    }

  return {
    through,
    /** Aborts what is not answered in the time that a stop may take. */
    beginEnding: (): void => {
      endsAt = steadyTime() + usual.ending
      setTimeout(() => giveUp([...inFlight.values()]), usual.ending).unref()
    },
    finish: async (): Promise<void> => {
      isClosed = true
      await Promise.allSettled(inFlight.keys())
    },
  }
}

const all = { doing: 'reading', stream: '$all' } as const

/**
 * The event store on EventStoreDB or KurrentDB, one node or a cluster.
 * @param connectionString `esdb://…`, `esdb+discover://…`, `kurrentdb://…` or
 *   `kurrentdb+discover://…`
 * @param options.isOurs distinguishes our events from those of other applications in the same
 *   database, which are skipped; by default all are ours
 * @throws Error if it is not a connection string; an unreachable server shows at the first call
 * Long because its parts share both connections.
 */
export const connectEventStoreDB = (
  connectionString: string,
  { isOurs = () => true, timeouts: ownTimeouts = {} }: Options = {},
): ConnectedStore => {
  const timeouts = { ...usualTimeouts, ...ownTimeouts }
  const { election: electionMs } = timeouts
  const user = userIn(connectionString)
  const reader = clientFor(connectionString)
  const client = reader.current
  const writer = openWriter(connectionString)
  const askEnd = (timeout: number) => readEnd(client, timeout)
  // All are connected to the leader.
  const lost = (began: number): void => {
    for (const one of [reader, writer, streams]) one.lost(began)
  }
  const reading = watchOutages({ electionMs, probe: answered(askEnd), lost })
  const writing = watchOutages({ electionMs, probe: answered(writer.probe), lost })
  const [mayRead, mayWrite] = [watchRight(askEnd), watchRight(writer.probe)]
  const calls = callsOf(connectionString, timeouts)
  const read = calls.through(reading, mayRead)
  // What cannot be read is not folded: nobody would be told of it.
  const write = calls.through(writing, mayWrite, [mayRead])
  const closed = new AbortController()
  let closing: Promise<void> | undefined

  const own: Own = (resolved) => {
    const event = toRecorded(resolved)
    return event && isOurs(event) ? event : undefined
  }
  const readable = { client, own, filter: makeFilter(isOurs), known: knownEnd() }

  const appendBy =
    (sending: Sending): EventStore['append'] =>
    async (stream, events, expected) => {
      acceptAppend(stream, events, expected)
      const { tryOnce, failed } = sending(messageOf(stream, events, expected))
      const about = { doing: 'appending to', stream } as const
      const { nextExpectedRevision, position } = await write(about, tryOnce, failed)
      return { revision: exact(nextExpectedRevision), position: exact(position?.commit ?? 0n) }
    }
  const streams = otherStreams({ connectionString, appendBy, readable, read, writer, write })

  const failure = (): unknown => writing.away()?.cause ?? mayRead.denial() ?? mayWrite.denial()

  const finishAndClose = async (): Promise<void> => {
    closed.abort()
    await calls.finish()
    for (const one of [reading, writing, mayRead, mayWrite]) one.close()
    await Promise.all([reader.close(), streams.close(), writer.close()])
  }

  return {
    append: appendBy(writer.sending),
    ...readEvents(readable, read),
    follow: (after, signal, outage) => {
      const watched = { outages: reading, about: { ...all, user }, outage }
      const either = AbortSignal.any([signal, closed.signal])
      return followAll({ ...readable, ...watched }, after, either)
    },
    end: readable.known,
    canBeWritten: () => failure() === undefined,
    failure,
    beginEnding: calls.beginEnding,
    streams,
    close: () => (closing ??= finishAndClose()),
  }
}
