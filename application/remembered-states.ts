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

/** What is known of a stream of which nothing is. */
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

/** What is known, and the newest revision that its stream is known to have had. */
type Remembered = Known & { heard: Revision }

/** Whether more is known to have happened since. */
export const isOld = ({ revision, heard }: Readonly<Remembered>): boolean => revision < heard

/** Remembers the states of as many aggregates as there is room for, those used last, and how old each is known to be. */
export const rememberStates = (room: Room) => {
  const memory = recentWithin<string, Remembered>(room)
  /** The newest revision that has come by of streams that have lately changed, remembered or not. */
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
      // A slow read may end after others have written more, and after that was noticed: then it is old already.
      const newest = Math.max(heard.get(stream) ?? noStream, before?.heard ?? noStream)
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
