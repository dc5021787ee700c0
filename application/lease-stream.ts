import { fold } from '../domain/decider.ts'
import { leases, type LeaseCommand, type LeaseEvent, type Leases } from '../domain/leases.ts'
import { noStream, type EventStore, type RecordedEvent } from './event-store.ts'

/** All leases are in one stream. */
export const leaseStream = 'lease-work'

/** A node without a renewal for this long, by the observer's clock, is gone. */
const goneAfterMs = 7_000
/** A node that has not looked for this long cannot judge that others are gone. */
const longestGapMs = 1_500

type Needs = {
  readonly store: Pick<EventStore, 'append' | 'readStream'>
  /** In ms. */
  readonly elapsed: () => number
}

/** Follows the lease stream, and records when each node was last observed. */
export const followLeases = ({ store, elapsed }: Needs) => {
  let revision = noStream
  let state: Leases = leases.initial
  let lookedAt = -Infinity
  const heardAt = new Map<string, number>()

  const apply = (event: LeaseEvent, at: number): void => {
    state = fold(leases, [event], state)
    heardAt.set(event.data.by, at)
  }

  return {
    nodes: () => state.nodes,
    next: () => revision + 1,
    read: async (): Promise<void> => {
      const news = await store.readStream(leaseStream, revision + 1)
      const at = elapsed()
      // Absence counts only while this node is watching.
      if (at - lookedAt > longestGapMs)
        for (const name of Object.keys(state.nodes)) heardAt.set(name, at)
      lookedAt = at
      for (const event of news) {
        revision = event.revision
        apply(event as RecordedEvent & LeaseEvent, at)
      }
      for (const name of Object.keys(state.nodes)) if (!heardAt.has(name)) heardAt.set(name, at)
    },
    gone: (): string[] =>
      Object.keys(state.nodes).filter(
        (name) => elapsed() - (heardAt.get(name) ?? Infinity) > goneAfterMs,
      ),
    append: async (command: LeaseCommand, id: string): Promise<void> => {
      const [event] = leases.decide(command, state)
      if (!event) return
      const { type, data } = event
      const appended = await store.append(leaseStream, [{ id, type, data, metadata: {} }], revision)
      revision = appended.revision
      apply(event, elapsed())
    },
  }
}
