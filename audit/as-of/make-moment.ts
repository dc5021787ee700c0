import { constants, copyFileSync, rmSync, statSync, renameSync } from 'node:fs'
import { start, type EventStore, type Position } from '../../application/event-store.ts'
import { placeOf } from '../../infrastructure/event-store/seen-events.ts'
import {
  checkpointOf,
  isDamage,
  type ReadModelFile,
  openFile,
  sync,
  indexStatements,
  tableStatements,
} from '../../infrastructure/read-models/read-model-file.ts'
import { intermediateOf, type MomentFile, type MomentFiles } from './moment-files.ts'
import { parseEvent } from '../../domain/events.ts'
import { projections } from '../../projections/read-models.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import { tables } from '../../infrastructure/stores.ts'

/** Fast and unsafe: an unfinished draft is discarded, a finished one is synced. */
export const pragmas = ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -32768']

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
    const inRange = batch.filter(({ position }) => position <= end)
    projector.apply(inRange.map(parseEvent), inRange.map(leafOf))
    events += inRange.length
    if (inRange.length < batch.length) break
    onFolded(projector.position(), inRange.length)
  }
  return events
}

/** Syncs the file first. */
export const putInPlace = (draft: string, path: string): void => {
  sync(draft)
  renameSync(draft, path)
}

/** Folding fewer events than this is quicker than copying a file. */
const enough = 50_000

/** Maximum number of intermediate files per build. */
const stops = 8

type Draft = { readonly path: string; readonly file: ReadModelFile; readonly from: Position }

const remove = (path: string): void => rmSync(path, { force: true })

/** A clone if the file system supports it, which takes no time or space. */
const copy = (from: string, to: string): void => copyFileSync(from, to, constants.COPYFILE_FICLONE)

/** Whether a file is intact and belongs to this log. */
export const isOfLog = async (
  store: EventStore,
  file: ReadModelFile,
  position: Position,
): Promise<boolean> => {
  const mark = checkpointOf(file)
  return mark.position <= position && (await placeOf(store, mark)) === 'as seen'
}

/** A copy of a kept file; undefined if it is missing, damaged or of another log. */
const copyOf = async (
  store: EventStore,
  base: MomentFile,
  path: string,
): Promise<Draft | undefined> => {
  let file: ReadModelFile | undefined
  try {
    copy(base.path, path)
    file = openDraft(path)
    if (await isOfLog(store, file, base.position))
      return { path, file, from: checkpointOf(file).position }
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isGone && !isDamage(error)) throw error
  }
  file?.sqlite.close()
  remove(path)
  remove(base.path)
  return undefined
}

/** A draft from the nearest file that is kept, or an empty one; its file is the caller's. */
export const beginFrom = async (
  store: EventStore,
  files: MomentFiles,
  end: Position,
): Promise<Draft> => {
  files.makeFolder()
  const path = files.draft
  for (const base of files.upTo(end)) {
    const draft = await copyOf(store, base, path)
    if (draft) return draft
  }
  return { path, file: beginDraft(path), from: start }
}

/** Keeps intermediate copies of a long build, if there is room. */
const keepStops = (
  files: MomentFiles,
  { path, from }: Draft,
  end: Position,
  eventsWorthKeeping: number,
) => {
  const way = (end - from) / stops
  let next = from + way
  let events = 0
  return (position: Position, folded: number): void => {
    events += folded
    if (position < next || events < eventsWorthKeeping || end - position < way) return
    next = position + way
    events = 0
    if (!files.hasRoomFor(2 * statSync(path).size)) return
    const stop = intermediateOf(path)
    copy(path, stop)
    putInPlace(stop, files.pathOf(position))
  }
}

/**
 * Builds the read models as of a position, starting from the nearest earlier file. Returns the
 * number of events folded.
 */
export const makeMoment = async (
  store: EventStore,
  files: MomentFiles,
  end: Position,
  eventsWorthKeeping = enough,
): Promise<number> => {
  const draft = await beginFrom(store, files, end)
  try {
    const stop = keepStops(files, draft, end, eventsWorthKeeping)
    const events = await foldUpTo(store, draft.file, end, stop)
    draft.file.sqlite.close()
    putInPlace(draft.path, files.pathOf(end))
    return events
  } catch (error) {
    draft.file.sqlite.close()
    remove(draft.path)
    throw error
  }
}

export type MakingRequest = {
  readonly end: Position
  /** Positions that are open. */
  readonly inUse: readonly Position[]
}

/** Builds a moment, then removes files if there are too many. */
export const makeAndThin = async (
  store: EventStore,
  files: MomentFiles,
  { end, inUse }: MakingRequest,
): Promise<number> => {
  const events = await makeMoment(store, files, end)
  files.thin((position) => position === end || inUse.includes(position))
  return events
}
