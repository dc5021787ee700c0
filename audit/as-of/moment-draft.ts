import { renameSync } from 'node:fs'
import type { EventStore, Position } from '../../application/event-store.ts'
import { parseEvent } from '../../domain/events.ts'
import { projections } from '../../projections/read-models.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { sync } from '../../infrastructure/read-models/read-model-draft.ts'
import {
  checkpointOf,
  openFile,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import {
  indexStatements,
  tableStatements,
} from '../../infrastructure/read-models/read-model-schema.ts'
import { tables } from '../../infrastructure/stores.ts'

/** Fast and unsafe: an unfinished draft is discarded, a finished one is synced. */
const pragmas = ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -32768']

export const openDraft = (path: string, statements: readonly string[] = []): ReadModelFile =>
  openFile(path, pragmas, statements)

export const beginDraft = (path: string): ReadModelFile =>
  openDraft(path, [...tableStatements(tables), ...indexStatements(tables)])

/** Folds the log from the file's position up to `end`. Returns the number of events. */
export const foldUpTo = async (
  store: Pick<EventStore, 'readAll'>,
  file: ReadModelFile,
  end: Position,
  onFolded: (position: Position, events: number) => void = () => {},
): Promise<number> => {
  const projector = makeProjector(file, projections)
  let events = 0
  for await (const batch of store.readAll(checkpointOf(file).position)) {
    const wanted = batch.filter(({ position }) => position <= end)
    projector.apply(wanted.map(parseEvent), wanted.map(leafOf))
    events += wanted.length
    if (wanted.length < batch.length) break
    onFolded(projector.position(), wanted.length)
  }
  return events
}

/** Syncs the file first. */
export const putInPlace = (draft: string, path: string): void => {
  sync(draft)
  renameSync(draft, path)
}
