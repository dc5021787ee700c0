import {
  type EventStoreDBClient,
  isCommandError,
  jsonEvent,
  NO_STREAM,
  UnknownError,
  type AppendResult,
  type Credentials,
  type JSONEventType,
} from '@eventstore/db-client'
import {
  noStream,
  StoreUnavailable,
  type NewEvent,
  type Revision,
  WrongExpectedRevision,
  type EventStore,
  type JsonObject,
} from '../../application/event-store.ts'
import { ignore, within, isDecided, toRecorded } from './eventstoredb-calls.ts'
import { renewable, clientFor, partsOf } from './eventstoredb-connection.ts'
import type { Ask, WithRetries } from './eventstoredb-retries.ts'
import { randomUUID } from '../../application/machine.ts'
import { readEvents, type Readable } from './eventstoredb-reads.ts'

type Waiting = { readonly go: () => void; readonly fail: (error: unknown) => void }

/**
 * Sends appends in the order of the calls. If a client opens its connection for several appends at
 * once, their order is lost, so the first one after each lost connection is sent alone and the
 * others wait for its response.
 */
export const keepOrder = () => {
  let waiting: Waiting[] = []
  let state: 'closed' | 'opening' | 'open' = 'closed'

  const takeWaiting = (): Waiting[] => {
    const taken = waiting
    waiting = []
    return taken
  }

  // Waiting appends are sent before anything called from now on.
  const opened = (): void => {
    state = 'open'
    for (const { go } of takeWaiting()) go()
  }

  const failed = (error: unknown): void => {
    // The server's decision about one append does not apply to any other.
    if (isDecided(error)) return opened()
    state = 'closed'
    for (const { fail } of takeWaiting()) fail(error)
  }

  return {
    /** The response; fails at once if the connection cannot be opened. */
    inOrder: <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
      if (state === 'open') return send()
      if (state === 'opening') {
        return new Promise((resolve, reject) => {
          waiting.push({ go: () => void send().then(resolve, reject), fail: reject })
        })
      }
      state = 'opening'
      const sent = send()
      sent.then(opened, failed)
      return sent
    },
    connectionLost: (): void => {
      if (state === 'open') state = 'closed'
    },
  }
}

/**
 * Ends a client only while no client has appends in flight. The client package has one list of
 * appends for all clients of a process: ending one client fails the appends of the others, and
 * these unhandled failures end the process.
 */
const endBetween = () => {
  const underWay = new Set<Promise<unknown>>()
  let ending: Promise<void> | undefined

  const endNow = async (end: () => Promise<unknown>): Promise<void> => {
    await Promise.allSettled(underWay)
    await end()
  }

  return {
    /** Sends an append once no client is ending. */
    send: async <Answer>(append: () => Promise<Answer>): Promise<Answer> => {
      while (ending) await ending
      const sent = append()
      const leave = (): void => void underWay.delete(sent)
      underWay.add(sent)
      sent.then(leave, leave)
      return sent
    },
    /** Ends a client that sends nothing more. */
    end: async (end: () => Promise<unknown>): Promise<void> => {
      while (ending) await ending
      const ended = endNow(end)
      ending = ended.catch(ignore).then(() => (ending = undefined))
      return ended
    },
  }
}

/** Number of refusals before an append uses another connection: some 140 ms. */
const mostRefusals = 2

const ofProcess = endBetween()

/** An append as sent, on every attempt. */
type Message = {
  readonly stream: string
  readonly events: readonly ReturnType<typeof toSend>[]
  readonly expectedRevision: bigint | typeof NO_STREAM
}

const encoder = new TextEncoder()

/** The client would encode an object as base64, which it decodes twice. */
const toSend = ({ id, type, data, metadata }: NewEvent) =>
  jsonEvent<JSONEventType>({
    id: id.toLowerCase(),
    type,
    data,
    metadata: encoder.encode(JSON.stringify(metadata)),
  })

export const messageOf = (
  stream: string,
  events: readonly NewEvent[],
  expected: Revision,
): Message => ({
  stream,
  events: events.map(toSend),
  expectedRevision: expected === noStream ? NO_STREAM : BigInt(expected),
})

/** How to attempt one append, and what to do after a failure. */
export type Sending = (message: Message) => {
  readonly tryOnce: Ask<AppendResult>
  readonly failed?: (error: unknown) => void
}

/**
 * Sends each append in a call of its own, which a queue of batches does not delay: with credentials
 * the client does so. Only one client of a process may send batches.
 */
const sendingAlone =
  (client: () => Promise<EventStoreDBClient>, credentials: Credentials): Sending =>
  ({ stream, events, expectedRevision }) => ({
    tryOnce: (deadline) => {
      const options = { expectedRevision, deadline, credentials, requiresLeader: true } as const
      return within(deadline, async () =>
        (await client()).appendToStream(stream, [...events], options),
      )
    },
  })

/**
 * An append with an impossible revision, so that nothing is written: a node that refuses it accepts
 * appends.
 */
const impossible = messageOf(
  'daybook-probe',
  [{ id: randomUUID(), type: 'Probe', data: {}, metadata: {} }],
  Number.MAX_SAFE_INTEGER,
)

/** A client, its append queue, and what the client has not settled. */
const connect = (client: EventStoreDBClient) => ({
  client,
  order: keepOrder(),
  underWay: new Set<Promise<unknown>>(),
  isOver: false,
})

type Connection = ReturnType<typeof connect>

/**
 * Ends a client, and waits until nothing is left in it: a later failure there would remove the
 * appends of the next client from the package's list, and their answers would end the process.
 */
const end = async (connection: Connection): Promise<void> => {
  connection.isOver = true
  await connection.client.dispose().catch(ignore)
  await Promise.allSettled(connection.underWay)
}

/**
 * Sends appends, in the order of the calls, over a separate client: if reads switched the node,
 * appends in flight would share the client's table with later ones, and losing the old connection
 * would end the process.
 */
export const openWriter = (connectionString: string) => {
  const { current, renew, lost, close } = renewable({ connectionString, connect, end })

  /** Called with the connection of an append, the error, and the number of failures. */
  const recover = (used: Connection, error: unknown, failures: number): void => {
    used.order.connectionLost()
    // After a failed discovery a client fails every append with the same error, permanently.
    const isOfTheClient = error instanceof Error && !isCommandError(error) && !('code' in error)
    const isBroken = isOfTheClient && !(error instanceof StoreUnavailable)
    // A former leader keeps refusing what is sent over its connection; a busy node recovers.
    const isRefused = error instanceof UnknownError && failures > mostRefusals
    if (isBroken || isRefused) renew(used)
  }

  /** One append: how to attempt it, and what to do after a failure. */
  const sending = ({
    stream,
    events,
    expectedRevision,
  }: Message): Required<ReturnType<Sending>> => {
    let used: Connection | undefined
    let failures = 0
    return {
      tryOnce: async (deadline: number) => {
        const connection = (used = await within(deadline, current()))
        const { client, order, underWay } = connection
        const send = async (): Promise<AppendResult> => {
          if (connection.isOver) throw new StoreUnavailable('the connection is lost')
          const options = { expectedRevision, deadline, requiresLeader: true } as const
          const sent = client.appendToStream(stream, [...events], options)
          const leave = (): void => void underWay.delete(sent)
          underWay.add(sent)
          sent.then(leave, leave)
          return within(deadline, sent)
        }
        return order.inOrder(() => ofProcess.send(send))
      },
      failed: (error: unknown): void => {
        if (used) recover(used, error, ++failures)
      },
    }
  }

  return {
    sending,
    /** Whether appends are accepted; appends nothing. */
    probe: async (timeout: number): Promise<void> => {
      const { tryOnce, failed } = sending(impossible)
      await tryOnce(timeout).catch((error: unknown) => {
        failed(error)
        throw error
      })
    },
    lost,
    close: () => ofProcess.end(close),
  }
}

export type Streams = Pick<EventStore, 'append' | 'readStream'>

/** Streams of the database that are not part of the log. */
export type OtherStreams = Streams & {
  /** Does not wait behind other calls. */
  readonly urgent: Streams
  /** Lets the database drop all but the newest events of a stream. */
  keepNewest(stream: string, count: number): Promise<void>
  /** Lets the database drop a stream's events after some seconds. */
  keepFor(stream: string, seconds: number): Promise<void>
}

export type Needs = {
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
    append: (...args) => (made ??= open()).append(...args),
    readStream: (...args) => (made ??= open()).readStream(...args),
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
