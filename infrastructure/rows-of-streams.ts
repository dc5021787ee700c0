import {
  noStream,
  type EventStore,
  type Position,
  type RecordedEvent,
  type Revision,
} from '../application/event-store.ts'
import { recent } from '../application/recent.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'

const rowsRemembered = 20_000

/** A row as of a revision of its stream; whether more is known to have happened since. */
type Folded<Row> = { readonly revision: Revision; readonly row: Row; isOld: boolean }

/**
 * Rows of a projection that come of one stream each, folded when they are asked for: they are as new as the log, however
 * far the read models are. `notice` is called with all events after a position as they come by; of a row that was asked
 * for before, only what has happened since is read.
 */
export const rowsOfStreams = <Row>(
  store: EventStore,
  { apply }: { apply(row: Row | undefined, event: Recorded, key: string): Row | undefined },
  from: Position,
) => {
  const memory = recent<string, Folded<Row>>(rowsRemembered)
  let heard = from

  const fold = async (stream: string, known: Folded<Row> | undefined): Promise<Row | undefined> => {
    const heardBefore = heard
    const before = known ?? { revision: noStream, row: undefined }
    const events = await store.readStream(stream, before.revision + 1)
    const row = events.reduce<Row | undefined>(
      (row, event) => apply(row, parseEvent(event), stream),
      before.row,
    )
    const { revision } = events.at(-1) ?? before
    // What came by while it was read may be missing from it.
    if (row !== undefined) memory.set(stream, { revision, row, isOld: heard > heardBefore })
    return row
  }

  return {
    find: async (stream: string): Promise<Row | undefined> => {
      const head = await store.head()
      const known = memory.get(stream)
      return known && !known.isOld && head <= heard ? known.row : fold(stream, known)
    },
    notice: (events: readonly RecordedEvent[]): void => {
      for (const { stream, position } of events) {
        const known = memory.get(stream)
        if (known) known.isOld = true
        heard = position
      }
    },
  }
}
