import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  noStream,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Revision,
} from '../../application/event-store.ts'
import { recent, underWay } from '../../application/recent.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'

/** A row that says as of which revision of its stream it is. */
type RowOfStream = { readonly revision: Revision }

type Needs<Row> = {
  readonly store: EventStore
  readonly projection: {
    readonly handles: ReadonlySet<string>
    apply(row: Row | undefined, event: Recorded, key: string): Row | undefined
  }
  /** After which position everything is noticed. */
  readonly from: Position
}

/** What is remembered of a stream. */
type Remembered<Row> = {
  readonly row: Row
  /** How often it has changed since somebody asked for it. */
  unasked: number
  /** Whether more is known to have happened since. */
  isOld: boolean
}

/**
 * How many changes of a row are folded while nobody asks for it: as many as most payments ever have. What happens to one
 * that goes on changing is read from its stream by the next who asks.
 */
const mostUnasked = 2

/**
 * What is folded of one stream each, as new as the log: what has happened since it was remembered, or all of it when it
 * is not remembered, is read from its stream. `notice` is called with all events as they come by, `add` before with those
 * that this process has appended itself.
 */
export const rowsOfStreams = <Row extends RowOfStream>(needs: Needs<Row>) => {
  const { store } = needs
  const { apply, handles } = needs.projection
  const memory = recent<string, Remembered<Row>>(underWay)
  let heard = needs.from

  const fold = async (stream: string): Promise<Row | undefined> => {
    const heardBefore = heard
    const before = memory.get(stream)?.row
    const events = await store.readStream(stream, (before?.revision ?? noStream) + 1)
    const row = events.reduce<Row | undefined>(
      (row, event) => apply(row, parseEvent(event), stream),
      before,
    )
    // What came by while it was read may be missing from it.
    if (row !== undefined) memory.set(stream, { row, unasked: 0, isOld: heard > heardBefore })
    return row
  }

  const notice = (events: readonly RecordedEvent[]): void => {
    for (const { stream, revision, position } of events) {
      const known = memory.get(stream)
      if (known && known.row.revision < revision) known.isOld = true
      // What was caught up with comes by again.
      if (position > heard) heard = position
    }
  }

  const readOn = async (): Promise<void> => {
    for await (const events of store.readAll(heard)) {
      notice(events)
      // Whoever is further behind than that reads single streams, until the others have come by.
      break
    }
  }
  let readingOn: Promise<void> | undefined
  /** Notices what is in the log and has not come by yet: read once for all who look at the same time. */
  const catchUp = (): Promise<void> =>
    (readingOn ??= readOn().finally(() => {
      readingOn = undefined
    }))

  /** The row that is remembered of a stream, unless more is known to have happened since. */
  const current = (stream: string): Row | undefined => {
    const known = memory.get(stream)
    if (!known || known.isOld) return undefined
    known.unasked = 0
    return known.row
  }

  return {
    find: async (stream: string): Promise<Row | undefined> => {
      const head = await store.head()
      // What this process has appended itself it is told of in the next turn of its event loop.
      if (heard < head && current(stream)) await nextTurn()
      if (heard < head && current(stream)) await catchUp()
      const row = heard < head ? undefined : current(stream)
      return row ?? fold(stream)
    },
    add: (event: RecordedEvent): void => {
      const { stream, revision, position } = event
      // When it has come by already, so may have others after it.
      const isLate = position <= heard
      // Nothing has happened in between: what is remembered is as new as the log, and nobody need come by to tell.
      if (position === heard + 1) heard = position
      if (!handles.has(event.type)) return
      const known = memory.get(stream)
      // It was read with its stream.
      if (known && known.row.revision >= revision) return
      const follows = known ? !known.isOld && known.row.revision === revision - 1 : revision === 0
      const unasked = known ? known.unasked + 1 : 0
      // It was made here a moment ago, of the shapes of today.
      const row =
        follows && unasked <= mostUnasked
          ? apply(known?.row, event as unknown as Recorded, stream)
          : undefined
      if (row !== undefined) memory.set(stream, { row, unasked, isOld: isLate })
      else if (known) known.isOld = true
    },
    notice,
  }
}
