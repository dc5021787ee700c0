import type { Instant } from '../domain/time.ts'
import type { Cause } from '../domain/cause.ts'
import type { SigningTime } from '../domain/decider.ts'
import type { Fence } from '../domain/leases.ts'
import { schemaVersion, type EventType } from '../domain/events.ts'
import type { NewEvent, Revision, Urgency } from './event-store.ts'
import type { DecidedEvent } from './find-state.ts'
import type { Lease } from './lease.ts'
import type { Traceparent } from './tracing.ts'

/** Who causes events, when and why. */
export type Origin = Cause & {
  readonly at: number
  readonly merchant: string | null
  readonly actor: string
  readonly correlationId: string
  /** Of the trace that the request is part of. */
  readonly traceparent?: Traceparent | undefined
  readonly causationId?: string | null
  /** When and with which signature it was signed; kept if signed changes are ordered. */
  readonly asked?: SigningTime | undefined
  /** The lease, for work that only one node does at a time. */
  readonly lease?: Lease | undefined
  readonly urgency?: Urgency | undefined
  /** Where a person asks from, whose turn it then is; not kept. */
  readonly address?: string | undefined
}

/** A UUID, the same for the same arguments. */
export type EventId = (stream: string, revision: Revision, commandId: string, at: Instant) => string

type Kept = Exclude<keyof Origin, 'lease' | 'address'>
type Metadata = { -readonly [Member in Kept]?: Origin[Member] } & {
  lease?: Fence
  schema?: number
}

/** Without spreads: an object built from several takes four times the memory. */
const metadataOf = (origin: Origin, schema: number): NewEvent['metadata'] => {
  const { at, merchant, actor, correlationId, causationId = null } = origin
  const { traceparent, asked, signed, from, operator, lease } = origin
  const metadata: Metadata = { at, merchant, actor, correlationId, causationId }
  if (traceparent !== undefined) metadata.traceparent = traceparent
  if (asked) metadata.asked = asked
  if (signed) metadata.signed = signed
  if (from !== undefined) metadata.from = from
  if (operator) metadata.operator = operator
  if (lease) metadata.lease = { work: lease.work, revision: lease.revision }
  metadata.schema = schema
  return metadata
}

/** Events ready to append: the decisions, with who, when and why. */
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
