import type { Instant } from '../domain/time.ts'
import type { Cause } from '../domain/cause.ts'
import type { Asked } from '../domain/decider.ts'
import { schemaVersion, type EventType } from '../domain/events.ts'
import type { NewEvent, Revision } from './event-store.ts'
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
}

/** A UUID, the same whenever it is asked for. */
export type EventId = (stream: string, revision: Revision, commandId: string, at: Instant) => string

/** Events as they are appended: what was decided, by whom, when and why. */
export const newEvents = (
  eventId: EventId,
  stream: string,
  revision: Revision,
  events: readonly DecidedEvent[],
  commandId: string,
  origin: Origin,
): NewEvent[] => {
  const { at, merchant, actor, correlationId, causationId = null } = origin
  const { asked, signed, from, operator, lease } = origin
  return events.map(({ type, data }, index) => ({
    id: eventId(stream, revision + 1 + index, commandId, at),
    type,
    data: data as NewEvent['data'],
    metadata: {
      ...{ at, merchant, actor, correlationId, causationId },
      ...(asked && { asked }),
      ...(signed && { signed }),
      ...(from !== undefined && { from }),
      ...(operator && { operator }),
      ...(lease && { lease: { work: lease.work, revision: lease.revision } }),
      schema: schemaVersion(type as EventType),
    },
  }))
}
