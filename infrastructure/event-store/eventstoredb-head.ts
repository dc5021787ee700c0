import { BACKWARDS, END, type ReadPosition, type ResolvedEvent } from '@eventstore/db-client'
import { start, type Position } from '../../application/event-store.ts'
import { positionOf, type Own } from './eventstoredb-calls.ts'
import { shared } from './shared-question.ts'

/** What is known of the end of the log: how far it was looked at, and the last event of ours. */
export const knownEnd = () => {
  let looked = start
  let head = start
  return {
    looked: (): Position => looked,
    head: (): Position => head,
    /** Everything up to a position was looked at; the last event of ours there is `own`. */
    note: (upTo: Position, own = start): void => {
      looked = Math.max(looked, upTo)
      head = Math.max(head, own)
    },
  }
}

export type KnownEnd = ReturnType<typeof knownEnd>

/** Events that a look begins with, at the most. */
const mostAtFirst = 32
const mostAtOnce = 1_000
const growth = 8

/** A read that looks backwards from the end, or from a place. */
export const backwards = (from: Position | undefined, maxCount: number) => {
  const place = from === undefined ? END : { commit: BigInt(from), prepare: BigInt(from) }
  return { direction: BACKWARDS, fromPosition: place as ReadPosition, maxCount } as const
}

type Read = (from: Position | undefined, maxCount: number) => Promise<readonly ResolvedEvent[]>

/**
 * Finds the last event of ours. Behind it may be any number of the node's and of others, which are
 * not the head: no follower is handed them, so nobody could wait for them. A look reads as few as
 * the one before it needed, then more, and stops at what is known.
 */
export const makeFindHead = (known: KnownEnd, own: Own, readBackwards: Read) => {
  let atFirst = 1

  /** How many events were read until the head was known; undefined when it still is not. */
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
        const wanted = Math.max(2 * (before + needed - 1), Math.floor(atFirst / 2), 1)
        atFirst = Math.min(mostAtFirst, wanted)
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

  return shared(findHead)
}
