import {
  EventStoreDBClient,
  isCommandError,
  jsonEvent,
  NO_STREAM,
  UnknownError,
  type JSONEventType,
} from '@eventstore/db-client'
import { randomUUID } from 'node:crypto'
import {
  noStream,
  StoreUnavailable,
  type NewEvent,
  type Revision,
} from '../../application/event-store.ts'
import { endBetween, keepOrder } from './eventstoredb-appends.ts'
import { ignore, within } from './eventstoredb-calls.ts'

/** After so many an append is tried over another connection: some 140 ms. */
const mostRefusals = 2

export const clientOf = (connectionString: string): EventStoreDBClient =>
  EventStoreDBClient.connectionString(connectionString.replace(/^kurrentdb(?=:|\+)/, 'esdb'))

const ofProcess = endBetween()

/** A client, and the order of the appends that it is given. */
const connect = (connectionString: string) => ({
  client: clientOf(connectionString),
  order: keepOrder(),
})

/** An append as it is sent, however often. */
type Message = {
  readonly stream: string
  readonly events: readonly ReturnType<typeof toSend>[]
  readonly expectedRevision: bigint | typeof NO_STREAM
}

const encoder = new TextEncoder()

/** Of an object the client makes base64, which it decodes twice. */
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

/** No stream is ever so long, so that nothing is written: a node that refuses it takes appends. */
const impossible = messageOf(
  'daybook-probe',
  [{ id: randomUUID(), type: 'Probe', data: {}, metadata: {} }],
  Number.MAX_SAFE_INTEGER,
)

/** A connection that is replaced when it is lost. */
const renewable = (connectionString: string) => {
  let connection = connect(connectionString)
  let renewal: Promise<void> | undefined

  /**
   * No append is sent meanwhile: what the old client breaks off would be broken off of all clients
   * of the process.
   */
  const renew = async ({ client }: typeof connection): Promise<void> => {
    await client.dispose().catch(ignore)
    connection = connect(connectionString)
    renewal = undefined
  }

  return {
    current: async () => {
      if (renewal) await renewal
      return connection
    },
    /** Called with what an append was sent over, why it failed, and how often it has. */
    recover: (used: typeof connection, error: unknown, failures: number): void => {
      used.order.connectionLost()
      // Many fail at once, and some when the next client is at work already.
      if (used !== connection || renewal) return
      // A client whose discovery has failed once answers every append with that failure, for ever.
      const isOfTheClient = error instanceof Error && !isCommandError(error) && !('code' in error)
      const isLost = isOfTheClient && !(error instanceof StoreUnavailable)
      // A node that leads no more goes on refusing what is sent over the connection that it has; a
      // busy one soon does not.
      const isRefused = error instanceof UnknownError && failures > mostRefusals
      if (isLost || isRefused) renewal = renew(used)
    },
    close: async (): Promise<void> => {
      await renewal
      await ofProcess.end(() => connection.client.dispose())
    },
  }
}

/**
 * Sends appends, in the order of the calls, over a client of their own: when reads change the node,
 * an append under way would share the client's table of appends with later ones, and the break of
 * the old connection would end the process.
 */
export const openWriter = (connectionString: string) => {
  const { current, recover, close } = renewable(connectionString)

  /** One append: how to try it, and what to do when a try has failed. */
  const sending = ({ stream, events, expectedRevision }: Message) => {
    let used: Awaited<ReturnType<typeof current>> | undefined
    let failures = 0
    return {
      tryOnce: async (deadline: number) => {
        const { client, order } = (used = await current())
        return order.inOrder(() => {
          const options = { expectedRevision, deadline, requiresLeader: true } as const
          return ofProcess.send(() =>
            within(deadline, client.appendToStream(stream, [...events], options)),
          )
        })
      },
      failed: (error: unknown): void => {
        if (used) recover(used, error, ++failures)
      },
    }
  }

  return {
    sending,
    /** Whether appends are taken, without one. */
    probe: async (timeout: number): Promise<void> => {
      const { tryOnce, failed } = sending(impossible)
      await tryOnce(timeout).catch((error: unknown) => {
        failed(error)
        throw error
      })
    },
    close,
  }
}
