import { BACKWARDS, END, type ReadPosition, type ResolvedEvent } from '@eventstore/db-client'
import { start, type Position } from '../../application/event-store.ts'
import { positionOf, type Own } from './eventstoredb-calls.ts'
import { sharedRequest } from './shared-request.ts'

/** The known end of the log: how far it was read, and our last event. */
export const knownEnd = () => {
  let looked = start
  let head = start
  return {
    looked: (): Position => looked,
    head: (): Position => head,
    /** Everything up to `upTo` was read; our last event there is at `own`. */
    note: (upTo: Position, own = start): void => {
      looked = Math.max(looked, upTo)
      head = Math.max(head, own)
    },
  }
}

export type KnownEnd = ReturnType<typeof knownEnd>

/** Maximum events of the first read. */
const mostAtFirst = 32
const mostAtOnce = 1_000
const growth = 8

/** Reads backwards from the end or from a position. */
export const backwards = (from: Position | undefined, maxCount: number) => {
  const place = from === undefined ? END : { commit: BigInt(from), prepare: BigInt(from) }
  return { direction: BACKWARDS, fromPosition: place as ReadPosition, maxCount } as const
}

type Read = (from: Position | undefined, maxCount: number) => Promise<readonly ResolvedEvent[]>

/**
 * Finds our last event. Any number of system and foreign events may follow it; those are not the
 * head, because no follower receives them and nobody could wait for them. Each search reads as few
 * events as the previous one needed, then more, down to the known end.
 */
export const makeFindHead = (known: KnownEnd, own: Own, readBackwards: Read) => {
  let atFirst = 1

  /** How many events were read until the head was found; undefined if it was not found. */
  const search = (events: readonly ResolvedEvent[], newest: Position): number | undefined => {
    for (const [index, resolved] of events.entries()) {
      const position = positionOf(resolved)
      const isHead = own(resolved) !== undefined
      if (!isHead && position > known.looked()) continue
      known.note(newest, isHead ? position : start)
      return index + 1
    }
    return undefined
  }

  const findHead = async (): Promise<Position> => {
    let newest: Position | undefined
    let from: Position | undefined
    let before = 0
    for (let count = atFirst; ; count = Math.min(mostAtOnce, count * growth)) {
      const events = await readBackwards(from, count)
      const [first, last] = [events[0], events.at(-1)]
      newest ??= first && positionOf(first)
      const needed = newest === undefined ? 1 : search(events, newest)
      if (needed !== undefined) {
        const enough = Math.max(2 * (before + needed - 1), Math.floor(atFirst / 2), 1)
        atFirst = Math.min(mostAtFirst, enough)
        return known.head()
      }
      if (events.length < count || !last) {
        known.note(newest ?? start)
        return known.head()
      }
      before += events.length
      from = positionOf(last)
    }
  }

  return sharedRequest(findHead)
}
