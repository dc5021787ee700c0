import type { Position, RecordedEvent } from '../../application/event-store.ts'

type Batch = { readonly last: Position; readonly count: number }

/**
 * Counts events that are not folded yet. Positions cannot be subtracted: in EventStoreDB they are
 * byte offsets. The backlog at startup, before `from`, is estimated from what is folded.
 */
export const countLag = (from: Position, foldedEvents: () => number) => {
  let waiting: Batch[] = []

  const backlog = (position: Position): number => {
    if (position >= from) return 0
    const eventsPerPosition = position === 0 ? 1 : foldedEvents() / position
    return Math.max(1, Math.round((from - position) * eventsPerPosition))
  }

  return {
    observe: (events: readonly RecordedEvent[]): void => {
      const last = events.at(-1)?.position
      if (last !== undefined) waiting.push({ last, count: events.length })
    },
    moved: (position: Position): void => {
      if (waiting[0] && waiting[0].last <= position)
        waiting = waiting.filter(({ last }) => last > position)
    },
    behind: (position: Position): number =>
      waiting.reduce((sum, { count }) => sum + count, backlog(position)),
  }
}
