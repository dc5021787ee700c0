import { rmSync } from 'node:fs'
import { StoreUnavailable, type EventStore, type Position } from '../../application/event-store.ts'
import type { Instant } from '../../domain/time.ts'
import { queriesOf } from '../../projections/read-models.ts'
import { readMoments } from '../../infrastructure/read-models/moment-fold.ts'
import {
  isDamage,
  openFile,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { isOfLog, makeAndThin, type MakingRequest } from './make-moment.ts'
import { type MomentFiles, intermediateOf } from './moment-files.ts'
import { jobThread } from '../../infrastructure/threads/job-thread.ts'
import type { Where } from '../../infrastructure/worker.ts'
import type { begin, MakingStart } from './moment-job.ts'

/** In megabytes. */
export const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export type Making = {
  /** One call at a time. Returns the number of events folded. */
  readonly make: (request: MakingRequest) => Promise<number>
  readonly close: () => Promise<void>
}

/** Builds moments in a thread of low priority. */
export const makeInWorker = (start: MakingStart): Making => {
  const { ask, end } = jobThread<typeof begin>('audit/as-of/moment-job', {
    start,
    yields: 'much',
    resourceLimits,
    closed: 'the service stops',
    onEnd: () => {
      for (const left of [start.draft, intermediateOf(start.draft)]) rmSync(left, { force: true })
    },
  })
  return { make: (request) => ask(request), close: end }
}

export const makeInline = (store: EventStore, files: MomentFiles): Making => ({
  make: (request) => makeAndThin(store, files, request),
  close: async () => {},
})

export const makeMoments = (
  where: Where,
  store: EventStore,
  files: MomentFiles,
  start: Omit<MakingStart, 'draft'>,
): Making =>
  where === 'inline' ? makeInline(store, files) : makeInWorker({ ...start, draft: files.draft })

/** The read models as of a position. */
export type Moment = {
  readonly position: Position
  readonly file: ReadModelFile
  readonly queries: ReturnType<typeof queriesOf>
  /** The log's time at the position; undefined before the first event. */
  readonly logTime: Instant | undefined
}

type Opened = Moment & { users: number }

export type Held = {
  readonly moment: Moment
  /** Translates an error of the file. */
  readonly failureOf: (error: unknown) => unknown
  readonly release: () => void
}

const mostOpen = 8

const pragmas = ['cache_size = -2048']

const reading = { readonly: true, fileMustExist: true } as const

type Needs = {
  readonly store: EventStore
  readonly files: MomentFiles
  /** Builds the file, on behalf of `who`. */
  readonly make: (position: Position, who: string) => Promise<unknown>
}

const remove = (files: MomentFiles, position: Position): void =>
  rmSync(files.pathOf(position), { force: true })

/** Undefined if there is no intact file. */
const openKept = async (
  { store, files }: Pick<Needs, 'store' | 'files'>,
  position: Position,
): Promise<Opened | undefined> => {
  if (!files.isKept(position)) return undefined
  let file: ReadModelFile | undefined
  try {
    file = openFile(files.pathOf(position), pragmas, [], reading)
    if (await isOfLog(store, file, position)) {
      const logTime = readMoments(file).logTime()
      return { position, file, logTime, queries: queriesOf(file.db), users: 0 }
    }
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  file?.sqlite.close()
  remove(files, position)
  return undefined
}

/** A few files that stay open; each counts its users. */
const openFew = () => {
  /** Least recently used first. */
  const open = new Map<Position, Opened>()
  const isOpen = (opened: Opened): boolean => open.get(opened.position) === opened

  const close = (opened: Opened): void => {
    if (isOpen(opened)) open.delete(opened.position)
    if (opened.users === 0) opened.file.sqlite.close()
  }

  const closeUnused = (): void => {
    for (const opened of open.values())
      if (open.size > mostOpen && opened.users === 0) close(opened)
  }

  return {
    open,
    isOpen,
    enter: (opened: Opened): void => {
      opened.users += 1
      open.delete(opened.position)
      open.set(opened.position, opened)
    },
    leave: (opened: Opened): void => {
      opened.users -= 1
      if (!isOpen(opened)) close(opened)
      closeUnused()
    },
    closeAll: (): void => {
      for (const opened of [...open.values()]) close(opened)
    },
  }
}

/** Opens the files of moments and builds missing ones; a few stay open. */
export const openMoments = (needs: Needs) => {
  const { files, make } = needs
  const { open, isOpen, enter, leave, closeAll } = openFew()
  const opening = new Map<Position, Promise<Opened>>()

  const openNow = async (position: Position, who: string): Promise<Opened> => {
    let opened = await openKept(needs, position)
    if (!opened) {
      await make(position, who)
      opened = await openKept(needs, position)
    }
    if (!opened) throw new StoreUnavailable(`the read models as of ${position} were removed`)
    open.set(position, opened)
    return opened
  }

  const find = (position: Position, who: string): Opened | Promise<Opened> => {
    const known = open.get(position) ?? opening.get(position)
    if (known) return known
    const under = openNow(position, who).finally(() => opening.delete(position))
    opening.set(position, under)
    return under
  }

  /** Marks a damaged file for rebuilding. */
  const failureOf = (error: unknown, opened: Opened): unknown => {
    if (!isDamage(error)) return error
    const { position } = opened
    if (isOpen(opened)) {
      open.delete(position)
      remove(files, position)
    }
    return new StoreUnavailable(`the read models as of ${position} are damaged`)
  }

  /** Stays open until released. */
  const hold = async (position: Position, who: string): Promise<Held> => {
    const opened = await find(position, who)
    // It may have been closed in the meantime.
    if (!isOpen(opened)) return hold(position, who)
    enter(opened)
    return {
      moment: opened,
      failureOf: (error) => failureOf(error, opened),
      release: () => leave(opened),
    }
  }

  return { hold, inUse: (): Position[] => [...open.keys()], close: closeAll }
}
