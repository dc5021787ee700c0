import type { EventStore, Position } from '../../application/event-store.ts'
import type { Find } from '../../application/find-state.ts'

type Needs = {
  readonly find: Find
  readonly store: Pick<EventStore, 'readStream'>
}

export const logUpTo = ({ find, store }: Needs, end: Position): Needs => ({
  find: (aggregate, id, asOf = end) =>
    find(aggregate, id, typeof asOf === 'number' ? Math.min(asOf, end) : end),
  store: {
    readStream: async (stream, from, limit) => {
      const events = await store.readStream(stream, from, limit)
      return events.filter(({ position }) => position <= end)
    },
  },
})
