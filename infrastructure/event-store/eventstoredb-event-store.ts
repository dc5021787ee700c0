import {
  EventStoreDBClient,
  isCommandError,
  jsonEvent,
  NO_STREAM,
  UnknownError,
  type JSONEventType,
} from '@eventstore/db-client'
import {
  noStream,
  StoreUnavailable,
  type Appended,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
  type Revision,
} from '../../application/event-store.ts'
import { acceptAppend } from './acceptable-append.ts'
import { keepOrder } from './eventstoredb-appends.ts'
import {
  exact,
  ignore,
  persistently,
  toRecorded,
  within,
  type Own,
  type Patience,
  type Persistently,
} from './eventstoredb-calls.ts'
import { followAll } from './eventstoredb-follow.ts'
import { readEvents } from './eventstoredb-reads.ts'

/** Longer than a cluster takes to choose another leader. */
const usualPatience: Patience = { attempt: 3_000, altogether: 10_000 }

/** After so many an append is tried over another connection: some 140 ms. */
const mostRefusals = 2

const clientOf = (connectionString: string): EventStoreDBClient =>
  EventStoreDBClient.connectionString(connectionString.replace(/^kurrentdb(?=:|\+)/, 'esdb'))

/** A client, and the order of the appends that it is given. */
const connect = (connectionString: string) => ({
  client: clientOf(connectionString),
  order: keepOrder(),
})

type Options = {
  readonly isOurs?: (event: RecordedEvent) => boolean
  readonly patience?: Patience | undefined
}

const toSend = ({ id, type, data, metadata }: NewEvent) =>
  jsonEvent<JSONEventType>({
    id: id.toLowerCase(),
    type,
    data,
    metadata,
  })

/**
 * The event store in an EventStoreDB or KurrentDB, one node or a cluster.
 * @param connectionString `esdb://…`, `esdb+discover://…`, `kurrentdb://…` or `kurrentdb+discover://…`
 * @param options.isOurs tells events of ours from those that others have written to the same database, which are passed
 *   over; all are ours unless it is given
 * @throws Error when that is no connection string; whether a server is there shows at the first call
 */
export const connectEventStoreDB = (
  connectionString: string,
  { isOurs = () => true, patience = usualPatience }: Options = {},
): EventStore => {
  // Reads have a client of their own. A failed read may send its client to another node: an append under way would then
  // share the client's table of appends with later ones, and the break of the old connection would end the process.
  const reading = clientOf(connectionString)
  let connection = connect(connectionString)
  let closing: Promise<void> | undefined
  const closed = new AbortController()
  const inFlight = new Set<Promise<unknown>>()

  let renewal: Promise<void> | undefined

  /** No append is sent meanwhile: what the old client breaks off would be broken off of all clients of the process. */
  const renew = async ({ client }: typeof connection): Promise<void> => {
    await client.dispose().catch(ignore)
    connection = connect(connectionString)
    renewal = undefined
  }

  /** Called with what an append was sent over, why it failed, and how often it has. */
  const recover = (used: typeof connection, error: unknown, failures: number): void => {
    used.order.connectionLost()
    // Many fail at once, and some when the next client is at work already.
    if (used !== connection || renewal) return
    // A client whose discovery has failed once answers every append with that failure, for ever.
    const isOfTheClient = error instanceof Error && !isCommandError(error) && !('code' in error)
    const isLost = isOfTheClient && !(error instanceof StoreUnavailable)
    // A node that leads no more goes on refusing what is sent over the connection that it has; a busy one soon does not.
    const isRefused = error instanceof UnknownError && failures > mostRefusals
    if (isLost || isRefused) renewal = renew(used)
  }

  /** Calls while the store is open; closing waits for the answer. */
  const call: Persistently = (ask, failed) => {
    if (closing) return Promise.reject(new StoreUnavailable('the event store is closed'))
    const asked = persistently(patience, ask, failed)
    const leave = (): void => void inFlight.delete(asked)
    inFlight.add(asked)
    asked.then(leave, leave)
    return asked
  }

  const append = async (
    stream: string,
    events: readonly NewEvent[],
    expected: Revision,
  ): Promise<Appended> => {
    acceptAppend(stream, events, expected)
    const messages = events.map(toSend)
    const expectedRevision = expected === noStream ? NO_STREAM : BigInt(expected)
    let used = connection
    let failures = 0
    const { nextExpectedRevision, position } = await call(
      async (deadline) => {
        if (renewal) await renewal
        used = connection
        const { client, order } = used
        return order.inOrder(() => {
          const options = { expectedRevision, deadline, requiresLeader: true } as const
          return within(deadline, client.appendToStream(stream, messages, options))
        })
      },
      (error) => recover(used, error, ++failures),
    )
    return { revision: exact(nextExpectedRevision), position: exact(position?.commit ?? 0n) }
  }

  const own: Own = (resolved) => {
    const event = toRecorded(resolved)
    return event && isOurs(event) ? event : undefined
  }

  const finishAndClose = async (): Promise<void> => {
    closed.abort()
    await Promise.allSettled(inFlight)
    await renewal
    await Promise.all([reading.dispose(), connection.client.dispose()])
  }

  return {
    append,
    ...readEvents(reading, call, own),
    follow: (after, signal, outage) =>
      followAll(reading, after, AbortSignal.any([signal, closed.signal]), own, outage),
    close: () => (closing ??= finishAndClose()),
  }
}
