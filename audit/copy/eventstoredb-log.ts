import { convertToCommandError, type EventStoreDBClient } from '@eventstore/db-client'
import {
  StoreUnavailable,
  type JsonObject,
  type NewEvent,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { acceptAppend } from '../../infrastructure/event-store/event-entry.ts'
import {
  ignore,
  within,
  userIn,
  verdict,
} from '../../infrastructure/event-store/eventstoredb-calls.ts'
import { clientOf } from '../../infrastructure/event-store/eventstoredb-connection.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { messageOf } from '../../infrastructure/event-store/eventstoredb-writer.ts'
import { fail } from '../../infrastructure/failures.ts'
import { isOurs } from '../../infrastructure/stores.ts'
import { isVaultThere } from '../../infrastructure/vault-streams/key-pages.ts'
import {
  leafOfCopy,
  named,
  ofStore,
  runsOf,
  type CopiedEvent,
  type Source,
  type Target,
} from './copy-log.ts'

/** Maximum appends in flight. The node processes those of a connection in order. */
const window = 64

/** Maximum events and bytes per append; the node accepts a megabyte. */
const [mostEvents, mostBytes] = [500, 524_288]

const answerWithinMs = 10_000

const labelOf = (connectionString: string): string => connectionString.replace(/\/\/.*@/, '//…@')

const copyOf = (event: RecordedEvent): CopiedEvent => {
  const { position, stream, revision, id, type, recordedAt } = event
  const [data, metadata] = [JSON.stringify(event.data), JSON.stringify(event.metadata)]
  const copied = { position, stream, revision, id, type, data, metadata, recordedAt }
  return { ...copied, leaf: leafOfCopy(copied) }
}

const connect = (connectionString: string, counts: (event: RecordedEvent) => boolean) => {
  try {
    return connectEventStoreDB(connectionString, { isOurs: counts })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(`${labelOf(connectionString)}: must be a connection string: ${reason}`)
  }
}

const reading = (connectionString: string, counts: (event: RecordedEvent) => boolean): Source => {
  const { head, readAll, streams, close } = connect(connectionString, counts)
  const label = labelOf(connectionString)
  return {
    label,
    head: () => ofStore(label, head()),
    async *events(after) {
      for await (const batch of readAll(after)) yield batch.map(copyOf)
    },
    holdsVault: () => isVaultThere(streams),
    close,
  }
}

/** A log in EventStoreDB; events of other applications are skipped. */
export const serverSource = (connectionString: string): Source => reading(connectionString, isOurs)

const objectIn = (text: string, event: CopiedEvent): JsonObject => {
  const value = JSON.parse(text) as JsonObject
  return JSON.stringify(value) === text
    ? value
    : fail(`${named(event)} is JSON as the service does not write it: it cannot be copied exactly`)
}

const toAppend = (event: CopiedEvent): NewEvent => {
  const { id, type } = event
  return { id, type, data: objectIn(event.data, event), metadata: objectIn(event.metadata, event) }
}

const send = async (client: EventStoreDBClient, run: readonly CopiedEvent[]): Promise<void> => {
  const [{ stream, revision }] = run as [CopiedEvent]
  const expected = revision - 1
  const appended = run.map(toAppend)
  acceptAppend(stream, appended, expected)
  const { events, expectedRevision } = messageOf(stream, appended, expected)
  const options = { expectedRevision, deadline: answerWithinMs, requiresLeader: true } as const
  await within(answerWithinMs, client.appendToStream(stream, [...events], options))
}

/** The outcome of an append, as an error of the event store port. */
const failureOf = (thrown: unknown, user: string | undefined): Error => {
  const error = thrown instanceof Error ? convertToCommandError(thrown) : thrown
  const decided = verdict(error, { doing: 'appending to', stream: 'its streams', user })
  if (decided) return decided
  if (!(error instanceof Error)) return new StoreUnavailable(String(error))
  const isBug = error instanceof TypeError || error.name === 'OperatorError'
  return isBug ? error : new StoreUnavailable(error.message, { cause: error })
}

/** Appends over one connection, several at a time; over a new one after a failure. */
const appends = (connectionString: string) => {
  let client: EventStoreDBClient | undefined

  const open = async (first: readonly CopiedEvent[]): Promise<EventStoreDBClient> => {
    const opened = (client = clientOf(connectionString))
    // Appends that open a connection concurrently lose their order.
    await send(opened, first)
    return opened
  }

  const close = async (): Promise<void> => {
    const open = client
    client = undefined
    await open?.dispose().catch(ignore)
  }

  const appendAll = async (runs: readonly (readonly CopiedEvent[])[]): Promise<void> => {
    const [first, ...others] = runs
    if (!first) return
    const rest = client ? runs : others
    const opened = client ?? (await open(first))
    const underWay = new Set<Promise<void>>()
    let failure: unknown
    for (const run of rest) {
      if (failure !== undefined) break
      const sent = send(opened, run)
        .catch((error: unknown) => void (failure ??= error))
        .finally(() => underWay.delete(sent))
      underWay.add(sent)
      if (underWay.size >= window) await Promise.race(underWay)
    }
    await Promise.all(underWay)
    if (failure !== undefined) throw failure
  }

  return {
    append: async (events: readonly CopiedEvent[]): Promise<void> => {
      try {
        await appendAll(runsOf(events, mostEvents, mostBytes))
      } catch (error) {
        await close()
        throw failureOf(error, userIn(connectionString))
      }
    },
    close,
  }
}

/** @param besideOthers whether the database may hold events of other applications */
export const serverTarget = (connectionString: string, besideOthers: boolean): Target => {
  const source = reading(connectionString, besideOthers ? isOurs : () => true)
  const { append, close } = appends(connectionString)
  return {
    ...source,
    append: (events) => {
      const foreign = events.find(
        ({ stream, metadata }) => !isOurs({ stream, metadata: JSON.parse(metadata) as JsonObject }),
      )
      if (foreign)
        fail(`${named(foreign)} is not an event of the service, and nobody would read it there`)
      return append(events)
    },
    close: async () => {
      await close()
      await source.close()
    },
  }
}
