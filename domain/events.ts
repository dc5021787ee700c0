import { z } from 'zod'
import * as aggregates from './aggregates.ts'
import { cause } from './cause.ts'
import { compiled } from './compiled.ts'
import type { EventsOf } from './decider.ts'
import { instant } from './time.ts'
import type { Upcast } from './upcast.ts'

type Tables = (typeof aggregates)[keyof typeof aggregates]['events']
type EventOf<Table> = Table extends Record<string, z.ZodType> ? EventsOf<Table> : never
type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer All,
) => void
  ? All
  : never

export type DomainEvent = EventOf<Tables>
export type EventType = DomainEvent['type']

/** Every event in the log: its schema gives types, validation and the auditors' catalogue. */
export const eventCatalogue = Object.assign(
  {},
  ...Object.values(aggregates).map(({ events }) => events),
) as Intersection<Tables>

/** Steps from each older version to the next. */
const upcasts: Partial<Record<EventType, readonly Upcast[]>> = Object.assign(
  {},
  ...Object.values(aggregates).map((aggregate) =>
    'upcasts' in aggregate ? aggregate.upcasts : {},
  ),
)

export const metadata = z.object({
  /** When it was decided, by the service's clock. */
  at: instant,
  /** Null for events of the installation. */
  merchant: z.string().nullable(),
  /** Such as `user:pos1`, `payer:alice`, `operator` or `daybook`. */
  actor: z.string(),
  correlationId: z.string(),
  /** Of the trace that the request is part of (W3C Trace Context). */
  traceparent: z.string().optional(),
  /** Id of the event that led to this one. */
  causationId: z.string().nullable(),
  /** When it was signed, and a digest of the signature, if signed changes are ordered. */
  asked: z.object({ at: instant, signature: z.string().nullable() }).optional(),
  ...cause,
  /** For leased work: the lease, and the revision at which the node acquired it. */
  lease: z.object({ work: z.string(), revision: z.int().nonnegative() }).optional(),
  /** Schema version of `data`, starting at 1. */
  schema: z.int().positive(),
})

export type Metadata = z.output<typeof metadata>

/** An event as read from the log. */
export type Recorded<Event = DomainEvent> = Event & {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly metadata: Metadata
}

/** Applies the upcasts from a version (the first is 1) on. */
export const upToDate = (steps: readonly Upcast[], version: number, data: unknown): unknown =>
  steps.slice(version - 1).reduce((older, step) => step(older), data)

export const schemaVersion = (type: EventType): number => (upcasts[type]?.length ?? 0) + 1

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventCatalogue, type)

type Stored = Omit<Recorded<{ type: string; data: unknown }>, 'metadata'> & {
  readonly metadata: unknown
}

/** An event of an unknown type or shape. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
}

const unreadable = ({ type, stream, position }: Stored, problem: string): UnreadableEvent =>
  new UnreadableEvent(`event ${position}, ${type} in ${stream}, cannot be read: ${problem}`)

/** @throws UnreadableEvent */
export const parseEvent = (stored: Stored): Recorded => {
  const { stream, revision, position, id, type } = stored
  if (!isEventType(type)) throw unreadable(stored, 'this version knows no such type')
  try {
    const parsedMetadata = compiled(metadata).parse(stored.metadata)
    const latest = schemaVersion(type)
    if (parsedMetadata.schema > latest)
      throw unreadable(
        stored,
        `it is of version ${parsedMetadata.schema}, this code knows up to ${latest}`,
      )
    const current = upToDate(upcasts[type] ?? [], parsedMetadata.schema, stored.data)
    const data = compiled(eventCatalogue[type] as z.ZodType).parse(current)
    return { stream, revision, position, id, type, data, metadata: parsedMetadata } as Recorded
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw unreadable(stored, z.prettifyError(error).replaceAll(/\s*\n\s*/g, ' '))
  }
}
