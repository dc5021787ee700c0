import type { Recorded } from '../domain/events.ts'
import { sizeAfter } from '../domain/rough-size.ts'
import { noStream, type RecordedEvent, type Revision } from './event-store.ts'
import { recent, recentWithin, type Room } from './recent.ts'

/** The state of an aggregate as of a revision of its stream. */
export type Known = {
  readonly revision: Revision
  readonly state: unknown
  /** Roughly, in bytes. */
  readonly size: number
}

/** What is known of a stream before anything of it was read. */
export const nothingOf = ({ initial }: { readonly initial: unknown }): Known => ({
  revision: noStream,
  state: initial,
  size: 0,
})

/** What is known after more has happened. */
export const knownAfter = (
  before: Known,
  sizeOfMore: number,
  { revision, state }: Omit<Known, 'size'>,
): Known => ({ revision, state, size: sizeAfter(before.size, sizeOfMore, state) })

/** What is known, and the newest revision of its stream that was heard of. */
type Remembered = Known & { heard: Revision }

/** Whether more is known to have happened since. */
export const isOld = ({ revision, heard }: Readonly<Remembered>): boolean => revision < heard

/** Remembers the states of as many aggregates as there is room for, those used last, and how old each is known to be. */
export const rememberStates = (room: Room) => {
  const memory = recentWithin<string, Remembered>(room)
  /** The newest revision heard of each stream that has changed lately, remembered or not. */
  const heard = recent<string, Revision>(room.streams)

  /** What is remembered of a stream, old or not: what is new can be folded into it. */
  const find = (stream: string): Readonly<Remembered> | undefined => memory.get(stream)

  return {
    find,
    /** What is remembered of a stream, unless it is old. */
    findCurrent: (stream: string): Known | undefined => {
      const known = find(stream)
      return known && !isOld(known) ? known : undefined
    },
    remember: (stream: string, { revision, state, size }: Known): void => {
      const before = memory.get(stream)
      if (before && before.revision > revision) return
      // A read may end after a newer event was noticed: what it found is old already. What is remembered is told of each.
      const newest = before?.heard ?? heard.get(stream) ?? noStream
      memory.set(stream, { revision, state, size, heard: newest })
    },
    /** Marks as old what other processes have changed, to go on from: called with all events as they come by. */
    notice: (events: readonly (RecordedEvent | Recorded)[]): void => {
      for (const { stream, revision } of events) {
        const known = memory.get(stream)
        if (known && known.revision >= revision) continue
        if (known) known.heard = revision
        heard.set(stream, revision)
      }
    },
  }
}
