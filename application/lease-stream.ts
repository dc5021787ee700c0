import { fold } from '../domain/decider.ts'
import { leases, type LeaseCommand, type LeaseEvent, type Leases } from '../domain/leases.ts'
import { noStream, type EventStore, type RecordedEvent } from './event-store.ts'

/** All leases are in one stream. */
export const leaseStream = 'lease-work'

/** A node without a renewal for this long, by the clocks of observer and store, is gone. */
const goneAfterMs = 7_000
/**
 * A node is gone only after this many renewals of the observer without one of its own: each is
 * appended at an exact revision. A pause of either node alone takes nothing from the other.
 */
const renewalsWithout = 3

type Needs = {
  readonly store: Pick<EventStore, 'append' | 'readStream'>
  /** The observer. */
  readonly node: string
  /** In ms. */
  readonly elapsed: () => number
}

/** A time by both clocks: that of the observer, and that of the store if it is known. */
type Time = { readonly at: number; readonly recordedAt?: number | undefined }

/** The last renewal of a node, and how often the observer has renewed since. */
type Heard = Time & { renewals: number }

/** Follows the lease stream, and records when each node last renewed. */
export const followLeases = ({ store, node, elapsed }: Needs) => {
  let revision = noStream
  let state: Leases = leases.initial
  const heard = new Map<string, Heard>()
  /** When the newest event was read. */
  let newest: Time | undefined

  const apply = (event: LeaseEvent, time: Time): void => {
    state = fold(leases, [event], state)
    const { by } = event.data
    if (by === node) for (const one of heard.values()) one.renewals += 1
    heard.set(by, { ...time, renewals: 0 })
  }

  /** What the slower of both clocks says: either may have been set. */
  const silentMs = ({ at, recordedAt }: Time): number => {
    const own = elapsed() - at
    if (recordedAt === undefined || newest?.recordedAt === undefined) return own
    const byStore = newest.recordedAt - recordedAt + elapsed() - newest.at
    return newest.recordedAt < recordedAt ? own : Math.min(own, byStore)
  }

  const isGone = (name: string): boolean => {
    const one = heard.get(name)
    return one !== undefined && one.renewals >= renewalsWithout && silentMs(one) > goneAfterMs
  }

  return {
    nodes: () => state.nodes,
    next: () => revision + 1,
    read: async (): Promise<void> => {
      // The last known event is read again: it may be this node's, with the store's time.
      const events = await store.readStream(leaseStream, Math.max(0, revision))
      const at = elapsed()
      for (const event of events.filter((one) => one.revision > revision)) {
        revision = event.revision
        apply(event as RecordedEvent & LeaseEvent, { at, recordedAt: event.recordedAt })
      }
      const recordedAt = events.at(-1)?.recordedAt
      if (recordedAt !== newest?.recordedAt) newest = { at, recordedAt }
      for (const name of Object.keys(state.nodes))
        if (!heard.has(name)) heard.set(name, { at, recordedAt, renewals: 0 })
    },
    gone: (): string[] => Object.keys(state.nodes).filter(isGone),
    append: async (command: LeaseCommand, id: string): Promise<void> => {
      const [event] = leases.decide(command, state)
      if (!event) return
      const { type, data } = event
      const appended = await store.append(leaseStream, [{ id, type, data, metadata: {} }], revision)
      revision = appended.revision
      apply(event, { at: elapsed() })
    },
  }
}
