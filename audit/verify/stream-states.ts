import {
  DamagedEvent,
  noStream,
  type EventStore,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { sizedCache } from '../../application/generational-cache.ts'
import type { MaybePromise } from '../../application/maybe-promise.ts'
import * as aggregates from '../../domain/aggregates.ts'
import { causes } from '../rules/aggregate-causes.ts'
import type { Judge } from '../rules/decide-again.ts'
import { parseEvent, UnreadableEvent, type Recorded } from '../../domain/events.ts'
import { memorySize } from '../../domain/memory-size.ts'
import { categoryOf } from '../../domain/stream.ts'

/** The state of a stream before its next event. */
export type StreamState = {
  readonly revision: number
  readonly state: unknown
  /** Estimated bytes. */
  readonly size: number
}

/** Cache limits for states of recently changed streams; others are read again. */
const kept = { streams: 10_000, bytes: 12_582_912 }

const judges: ReadonlyMap<string, Judge> = new Map(
  Object.entries(aggregates).map(([name, { category, decider }]) => [
    category,
    { decider, causes: causes[name as keyof typeof aggregates] } as Judge,
  ]),
)

/** Undefined if the stream belongs to no aggregate. */
export const judgeOf = (stream: string): Judge | undefined => judges.get(categoryOf(stream))

/** The stream cannot be followed: an event is missing, damaged or out of place. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream'
}

export const evolved = ({ decider }: Judge, before: StreamState, event: Recorded): StreamState => {
  const { revision, position, metadata, type, data } = event
  const { at, asked } = metadata
  const state = decider.evolve(before.state, { type, data }, { at, position, asked })
  return { revision, state, size: before.size + memorySize(data) }
}

const parsed = (events: readonly RecordedEvent[]): readonly Recorded[] => {
  try {
    return events.map(parseEvent)
  } catch (error) {
    if (error instanceof UnreadableEvent) throw new BrokenStream(error.message)
    throw error
  }
}

/**
 * States of streams during a pass through the log, in bounded memory. `evolve` may replace an event
 * by another, to show what would have happened.
 */
export const streamStates = (store: Pick<EventStore, 'readStream'>, evolve = evolved) => {
  const cache = sizedCache<string, StreamState>(kept)

  const readAgain = async (judge: Judge, event: Recorded): Promise<StreamState> => {
    const { stream, revision, position } = event
    const events = await store.readStream(stream, 0, revision).catch((error: unknown) => {
      throw error instanceof DamagedEvent ? new BrokenStream(error.message) : error
    })
    const isWhole = events.every((one, index) => one.revision === index && one.position < position)
    if (events.length !== revision || !isWhole)
      throw new BrokenStream(`it has revision ${revision}, and not all before it come before it`)
    let known: StreamState = { revision: noStream, state: judge.decider.initial, size: 0 }
    for (const one of parsed(events)) known = evolve(judge, known, one)
    return known
  }

  return {
    /** @throws BrokenStream */
    before: (judge: Judge, event: Recorded): MaybePromise<StreamState> => {
      const { stream, revision } = event
      const known = cache.get(stream)
      if (known && known.revision + 1 !== revision)
        throw new BrokenStream(`it has revision ${revision}, and ${known.revision + 1} comes next`)
      if (known) return known
      if (revision === 0) return { revision: noStream, state: judge.decider.initial, size: 0 }
      return readAgain(judge, event)
    },
    remember: (stream: string, known: StreamState): void => cache.set(stream, known),
    forget: (stream: string): void => cache.delete(stream),
  }
}
