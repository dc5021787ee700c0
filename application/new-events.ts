import type { Instant } from '../domain/time.ts'
import type { Cause } from '../domain/cause.ts'
import type { Asked } from '../domain/decider.ts'
import type { Fence } from '../domain/leases.ts'
import { schemaVersion, type EventType } from '../domain/events.ts'
import type { NewEvent, Revision, Urgency } from './event-store.ts'
import type { DecidedEvent } from './find-state.ts'
import type { Lease } from './lease.ts'

/** Who causes events, when and why. */
export type Origin = Cause & {
  readonly at: number
  readonly merchant: string | null
  readonly actor: string
  readonly correlationId: string
  readonly causationId?: string | null
  /** When and with what it was signed; kept where signed changes are ordered. */
  readonly asked?: Asked | undefined
  /** Of work that one node at a time does. */
  readonly lease?: Lease | undefined
  readonly urgency?: Urgency | undefined
}

/** A UUID, the same whenever it is asked for. */
export type EventId = (stream: string, revision: Revision, commandId: string, at: Instant) => string

type Metadata = { -readonly [Member in Exclude<keyof Origin, 'lease'>]?: Origin[Member] } & {
  lease?: Fence
  schema?: number
}

/** Without spreads: an object that is made of several takes four times the memory. */
const metadataOf = (origin: Origin, schema: number): NewEvent['metadata'] => {
  const { at, merchant, actor, correlationId, causationId = null } = origin
  const { asked, signed, from, operator, lease } = origin
  const metadata: Metadata = { at, merchant, actor, correlationId, causationId }
  if (asked) metadata.asked = asked
  if (signed) metadata.signed = signed
  if (from !== undefined) metadata.from = from
  if (operator) metadata.operator = operator
  if (lease) metadata.lease = { work: lease.work, revision: lease.revision }
  metadata.schema = schema
  return metadata
}

/** Events as they are appended: what was decided, by whom, when and why. */
export const newEvents = (
  eventId: EventId,
  stream: string,
  revision: Revision,
  events: readonly DecidedEvent[],
  commandId: string,
  origin: Origin,
): NewEvent[] => {
  return events.map(({ type, data }, index) => ({
    id: eventId(stream, revision + 1 + index, commandId, origin.at),
    type,
    data: data as NewEvent['data'],
    metadata: metadataOf(origin, schemaVersion(type as EventType)),
  }))
}
