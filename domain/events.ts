import { z } from 'zod'
import * as aggregates from './aggregates.ts'
import { compiled } from './compiled.ts'
import type { EventsOf } from './decider.ts'
import type { Upcast } from './upcast.ts'

type Tables = (typeof aggregates)[keyof typeof aggregates]['events']
type EventOf<Table> = Table extends Record<string, z.ZodType> ? EventsOf<Table> : never
type Intersection<Union> = (Union extends unknown ? (given: Union) => void : never) extends (
  given: infer All,
) => void
  ? All
  : never

export type DomainEvent = EventOf<Tables>
export type EventType = DomainEvent['type']

/** Every event that can stand in the log: the types, the check when reading, and the auditors' catalogue. */
export const eventCatalogue = Object.assign(
  {},
  ...Object.values(aggregates).map(({ events }) => events),
) as Intersection<Tables>

/** How the data of older versions become those of today, step by step. */
const upcasts: Partial<Record<EventType, readonly Upcast[]>> = Object.assign(
  {},
  ...Object.values(aggregates).map((aggregate) =>
    'upcasts' in aggregate ? aggregate.upcasts : {},
  ),
)

/** Who, when and why of an event. */
const metadata = z.object({
  /** When it was decided, by the service's clock. */
  at: z.int(),
  /** The merchant whom it concerns; null for what concerns the installation. */
  merchant: z.string().nullable(),
  /** Who caused it, as `user:pos1`, `payer:alice`, `operator` or `daybook` itself. */
  actor: z.string(),
  /** The request id under which it happened. */
  correlationId: z.string(),
  /** The event that led to it, if one did. */
  causationId: z.string().nullable(),
  /** Version of the shape of `data`: the number of upcasts of its type when it was written, plus one. */
  schema: z.int().positive(),
})

export type Metadata = z.output<typeof metadata>

/** An event as it stands in the log. */
export type Recorded<Event = DomainEvent> = Event & {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly metadata: Metadata
}

/** Data of a version, brought to the shape of today by the steps from that version on; the first version is 1. */
export const upToDate = (steps: readonly Upcast[], version: number, data: unknown): unknown =>
  steps.slice(version - 1).reduce((older, step) => step(older), data)

export const schemaVersion = (type: EventType): number => (upcasts[type]?.length ?? 0) + 1

const isEventType = (type: string): type is EventType => Object.hasOwn(eventCatalogue, type)

type Stored = Omit<Recorded<{ type: string; data: unknown }>, 'metadata'> & {
  readonly metadata: unknown
}

/** An event that this version of the code cannot read: of an unknown type, or of another shape than it knows. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
}

const unreadable = ({ type, stream, position }: Stored, problem: string): UnreadableEvent =>
  new UnreadableEvent(`event ${position}, ${type} in ${stream}, cannot be read: ${problem}`)

/** Checks an event that was read. @throws UnreadableEvent */
export const parseEvent = (stored: Stored): Recorded => {
  const { stream, revision, position, id, type } = stored
  if (!isEventType(type)) throw unreadable(stored, 'this version knows no such type')
  try {
    const known = compiled(metadata).parse(stored.metadata)
    const latest = schemaVersion(type)
    if (known.schema > latest)
      throw unreadable(stored, `it is of version ${known.schema}, this code knows up to ${latest}`)
    const current = upToDate(upcasts[type] ?? [], known.schema, stored.data)
    const data = compiled(eventCatalogue[type] as z.ZodType).parse(current)
    return { stream, revision, position, id, type, data, metadata: known } as Recorded
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw unreadable(stored, z.prettifyError(error).replaceAll(/\s*\n\s*/g, ' '))
  }
}
