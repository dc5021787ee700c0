import type { Appended, NewEvent, Position, RecordedEvent } from '../../application/event-store.ts'

/** Number of events kept at least, once there have been so many. */
const kept = 100

/** The last events appended by this thread, so that followers need not read them again. */
export const makeTail = () => {
  let events: RecordedEvent[] = []

  const add = (stream: string, added: readonly NewEvent[], { revision, position }: Appended) => {
    const first = position - added.length + 1
    const next = (events.at(-1)?.position ?? 0) + 1
    // A repeated append: the events are already here.
    if (first < next) return
    // Other processes wrote in between, and the cache must have no gap.
    if (first > next) events = []
    else if (events.length >= 2 * kept) events = events.slice(-kept)
    let before = added.length
    for (const { id, type, data, metadata } of added) {
      before -= 1
      events.push({
        stream,
        revision: revision - before,
        position: position - before,
        id,
        type,
        data,
        metadata,
      })
    }
  }

  return {
    add,
    /** The events after a position; empty if the first of them is not cached. */
    after: (position: Position): readonly RecordedEvent[] => {
      const first = events[0]?.position
      return first === undefined || position + 1 < first ? [] : events.slice(position + 1 - first)
    },
  }
}

export type Tail = ReturnType<typeof makeTail>
