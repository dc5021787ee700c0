import type { Decider } from '../domain/decider.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'
import type { EventStore, Position, Revision } from './event-store.ts'

/** Read in batches, so that other work runs in between. */
const batchSize = 1_000

/** Events of a stream between two revisions, in batches. */
export async function* historyOf(
  { readStream }: Pick<EventStore, 'readStream'>,
  stream: string,
  from: Revision = 0,
  upTo: Revision = Infinity,
): AsyncGenerator<readonly Recorded[]> {
  for (let next = from; next <= upTo;) {
    const limit = Math.min(batchSize, upTo - next + 1)
    const events = await readStream(stream, next, limit)
    // The store may skip foreign events, so a batch can reach past `upTo`.
    const wanted = events.filter(({ revision }) => revision <= upTo)
    if (wanted.length > 0) yield wanted.map(parseEvent)
    const last = wanted.at(-1)
    if (!last || wanted.length < limit) return
    next = last.revision + 1
  }
}

export const stateAfter = <Event, State>(
  decider: Decider<never, Event, State>,
  events: readonly Recorded[],
  from: State,
): State => {
  let state = from
  for (const event of events) {
    const { position, metadata } = event
    state = decider.evolve(state, event as Event, {
      at: metadata.at,
      position,
      asked: metadata.asked,
    })
  }
  return state
}

/** The state at a log position. */
export const stateAt = async <Event, State>(
  store: Pick<EventStore, 'readStream'>,
  decider: Decider<never, Event, State>,
  stream: string,
  end: Position,
): Promise<State> => {
  let state = decider.initial
  for await (const events of historyOf(store, stream)) {
    const past = events.filter(({ position }) => position <= end)
    state = stateAfter(decider, past, state)
    if (past.length < events.length) break
  }
  return state
}
