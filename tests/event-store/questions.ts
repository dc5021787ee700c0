import { randomUUID } from 'node:crypto'
import {
  jsonEvent,
  type AppendExpectedRevision,
  type AppendToStreamOptions,
  type EventData,
  type EventStoreDBClient,
  type Position,
  type ReadStreamOptions,
} from '@eventstore/db-client'

/** A client, and stream names that no other question uses. */
type Asked = {
  readonly client: EventStoreDBClient
  readonly stream: (part?: string) => string
}

/** A request to a protocol server; the result contains nothing that varies between runs. */
export type Question = (asked: Asked) => Promise<unknown>

export const probe = (n = 0, id: string = randomUUID()) =>
  jsonEvent({ id, type: 'probe', data: { n } })

export const probes = (count: number) => Array.from({ length: count }, (_, n) => probe(n))

const toldOf = ['streamName', 'expectedVersion', 'actualVersion', 'maxAppendSize'] as const

/** A client error as data. */
export const told = (error: unknown, stream?: string): Record<string, unknown> => {
  const one = error as Record<string, unknown> & { constructor: { name: string } }
  const { name } = one.constructor
  const answer: Record<string, unknown> = { error: one['type'] ?? name, class: name }
  for (const key of toldOf) {
    if (one[key] !== undefined) answer[key] = one[key] === stream ? '<stream>' : one[key]
  }
  if (one['expectedVersion'] === undefined && one['code'] !== undefined)
    answer['code'] = one['code']
  return answer
}

const attempt = async <Answer>(stream: string, work: () => Promise<Answer>) => {
  try {
    return await work()
  } catch (error) {
    return told(error, stream)
  }
}

export const append = (
  client: EventStoreDBClient,
  stream: string,
  events: EventData | EventData[],
  expectedRevision: AppendExpectedRevision,
  options: AppendToStreamOptions = {},
) =>
  attempt(stream, async () => {
    const all = { ...options, expectedRevision }
    const { success, nextExpectedRevision, position } = await client.appendToStream(
      stream,
      events,
      all,
    )
    return { success, nextExpectedRevision, hasPosition: position !== undefined }
  })

/** The events of a stream as revision and number. */
export const revisions = (
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions = {},
) =>
  attempt(stream, async () => {
    const seen: string[] = []
    for await (const { event } of client.readStream(stream, options)) {
      const data = event?.data as { n?: number } | undefined
      seen.push(`${event?.revision}:${data?.n ?? null}`)
    }
    return seen
  })

/** A response as recorded: JSON, with the suffix `n` for bigints. */
export const plain = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : (value ?? null),
    ),
  )

export const placeAfter = async (appending: Promise<{ position?: Position | undefined }>) => {
  const { position } = await appending
  if (!position) throw new Error('an append without a position')
  return position
}
