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
} from '../../application/event-store.ts'
import { ignore, within } from './eventstoredb-calls.ts'
import { renewable } from './eventstoredb-connection.ts'
import type { Ask } from './eventstoredb-retries.ts'
import { isDecided } from './eventstoredb-verdicts.ts'
import { randomUUID } from '../../application/machine.ts'

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
    ...{ id: id.toLowerCase(), type, data },
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
export const sendingAlone =
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
