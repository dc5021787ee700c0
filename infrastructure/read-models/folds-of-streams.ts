import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  noStream,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Revision,
} from '../../application/event-store.ts'
import { historyOf } from '../../application/history.ts'
import { recentWithin, usualRoom, type Room } from '../../application/recent.ts'
import type { Recorded } from '../../domain/events.ts'
import { sizeAfter, sizeOfEvents } from '../../domain/rough-size.ts'

/** What is folded of a stream, and says as of which revision of its stream it is. */
type FoldOfStream = { readonly revision: Revision }

type Needs<Folded> = {
  readonly store: EventStore
  readonly projection: {
    readonly handles: ReadonlySet<string>
    apply(folded: Folded | undefined, event: Recorded, key: string): Folded | undefined
  }
  /** After which position everything is noticed. */
  readonly from: Position
  /** For what is folded, in memory. */
  readonly room?: Room
}

/** The memory of a stream. */
type Remembered<Folded> = {
  readonly folded: Folded
  /** Roughly, in bytes. */
  readonly size: number
  /** How often it has changed since somebody asked for it. */
  unasked: number
  /** Whether more is known to have happened since. */
  isOld: boolean
}

/**
 * How many changes of a stream are folded while nobody asks for it: as many as most payments ever have. What happens to
 * one that goes on changing is read from its stream by the next who asks.
 */
const mostUnasked = 2

/**
 * Folds of single streams, as new as the log: what a remembered fold lacks is read from its stream, and everything when
 * none is remembered. `notice` is called with all events as they come by; `add`, before that, with those that this
 * process has appended itself.
 */
export const foldsOfStreams = <Folded extends FoldOfStream>(needs: Needs<Folded>) => {
  const { store, room = usualRoom } = needs
  const { apply, handles } = needs.projection
  const memory = recentWithin<string, Remembered<Folded>>(room)
  let heard = needs.from

  const fold = async (stream: string): Promise<Folded | undefined> => {
    const heardBefore = heard
    const known = memory.get(stream)
    let folded = known?.folded
    let sizeOfNew = 0
    for await (const events of historyOf(store, stream, (folded?.revision ?? noStream) + 1)) {
      for (const event of events) folded = apply(folded, event, stream)
      sizeOfNew += sizeOfEvents(events)
    }
    const size = sizeAfter(known?.size ?? 0, sizeOfNew, folded)
    // What came by while it was read may be missing from it.
    const isOld = heard > heardBefore
    if (folded !== undefined) memory.set(stream, { folded, size, unasked: 0, isOld })
    return folded
  }

  const notice = (events: readonly RecordedEvent[]): void => {
    for (const { stream, revision, position } of events) {
      const known = memory.get(stream)
      if (known && known.folded.revision < revision) known.isOld = true
      // What `catchUp` has read comes by once more.
      if (position > heard) heard = position
    }
  }

  const readOn = async (): Promise<void> => {
    for await (const events of store.readAll(heard)) {
      notice(events)
      // One batch only: when further behind than that, single streams are read until the rest has come by.
      break
    }
  }
  let readingOn: Promise<void> | undefined
  /** Notices what is in the log and has not come by yet: read once for all who look at the same time. */
  const catchUp = (): Promise<void> =>
    (readingOn ??= readOn().finally(() => {
      readingOn = undefined
    }))

  /** What is remembered of a stream, unless more is known to have happened since. */
  const current = (stream: string): Folded | undefined => {
    const known = memory.get(stream)
    if (!known || known.isOld) return undefined
    known.unasked = 0
    return known.folded
  }

  return {
    find: async (stream: string): Promise<Folded | undefined> => {
      const head = await store.head()
      // Of its own appends this process hears in the next turn of its event loop: often nothing else is missing.
      if (heard < head && current(stream)) await nextTurn()
      if (heard < head && current(stream)) await catchUp()
      const folded = heard < head ? undefined : current(stream)
      return folded ?? fold(stream)
    },
    add: (event: RecordedEvent, sizeOfEvent: number): void => {
      const { stream, revision, position } = event
      // It has come by already, and so may have later events of its stream.
      const isLate = position <= heard
      // It is the next event of the log: all before it has been heard of, so it need not come by.
      if (position === heard + 1) heard = position
      if (!handles.has(event.type)) return
      const known = memory.get(stream)
      // A read of the stream has found it already.
      if (known && known.folded.revision >= revision) return
      const follows = known
        ? !known.isOld && known.folded.revision === revision - 1
        : revision === 0
      const unasked = known ? known.unasked + 1 : 0
      // It needs no parsing: it was made here a moment ago, in the present schema.
      const folded =
        follows && unasked <= mostUnasked
          ? apply(known?.folded, event as unknown as Recorded, stream)
          : undefined
      if (folded !== undefined) {
        const size = sizeAfter(known?.size ?? 0, sizeOfEvent, folded)
        memory.set(stream, { folded, size, unasked, isOld: isLate })
      } else if (known) known.isOld = true
    },
    notice,
  }
}
