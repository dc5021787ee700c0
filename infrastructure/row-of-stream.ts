import { noStream, type EventStore, type Revision } from '../application/event-store.ts'
import { recent } from '../application/recent.ts'
import { parseEvent, type Recorded } from '../domain/events.ts'

const rowsRemembered = 20_000

type Folded<Row> = { readonly revision: Revision; readonly row: Row | undefined }

/**
 * A projection's row that comes of one stream alone, folded when it is asked for: it is as new as the log, however far
 * the read models are, and of a row that was asked for before only the events since then are read.
 */
export const rowOfStream = <Row>(
  store: EventStore,
  { apply }: { apply(row: Row | undefined, event: Recorded, key: string): Row | undefined },
) => {
  const memory = recent<string, Folded<Row>>(rowsRemembered)

  return async (stream: string): Promise<Row | undefined> => {
    const known = memory.get(stream) ?? { revision: noStream, row: undefined }
    const events = await store.readStream(stream, known.revision + 1)
    if (events.length === 0) return known.row
    const fold = (row: Row | undefined, event: (typeof events)[number]) =>
      apply(row, parseEvent(event), stream)
    const row = events.reduce(fold, known.row)
    memory.set(stream, { revision: events.at(-1)?.revision ?? known.revision, row })
    return row
  }
}
