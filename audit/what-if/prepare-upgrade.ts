import {
  type EventStore,
  type Position,
  start,
  StoreRefused,
  StoreUnavailable,
} from '../../application/event-store.ts'
import { pause, steadyTime } from '../../application/machine.ts'
import { parseEvent } from '../../domain/events.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { makeProjector } from '../../infrastructure/read-models/projector.ts'
import {
  checkpointOf,
  newestOfOthers,
  openReadModelsToRead,
  type Draft,
  type ReadModelFile,
} from '../../infrastructure/read-models/read-model-file.ts'
import { foldInto } from '../../infrastructure/read-models/rebuild.ts'
import {
  buildReadModels,
  currentReadModels,
  openReadModels,
  openStoreToRead,
  readModelsIn,
  type Place,
} from '../../infrastructure/stores.ts'
import { projections } from '../../projections/read-models.ts'
import { compareFiles } from './compare-files.ts'
import type { BuildReplayed } from './replay-build.ts'

/** Rounds over the log end once one of them has found fewer events. */
const nearEnough = 1_000

/** How long running read models may lag, before they are not compared, in ms. */
const longestLagMs = 10_000

/** Pauses so that this process takes at most a share of one core. */
const atShare = (share: number) => {
  const [began, before] = [steadyTime(), process.cpuUsage()]
  return async (): Promise<void> => {
    const { user, system } = process.cpuUsage(before)
    const ahead = (user + system) / 1_000 / share - (steadyTime() - began)
    if (ahead > 0) await pause(ahead)
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable && !(error instanceof StoreRefused)

/** How long to wait for a store that is away, or that this process was too slow for, in ms. */
const againAfterMs = 1_000

/** Batches of the log, until few events are missing or up to a position. */
async function* batchesOf(store: EventStore, after: Position, end?: Position) {
  let last = after
  for (let count = nearEnough; count >= nearEnough || (end !== undefined && last < end);) {
    count = 0
    try {
      for await (const batch of store.readAll(last)) {
        const inRange = end === undefined ? batch : batch.filter(({ position }) => position <= end)
        if (inRange.length > 0) yield inRange
        last = inRange.at(-1)?.position ?? last
        if (inRange.length < batch.length) return
        count += batch.length
      }
    } catch (error) {
      if (!isAway(error)) throw error
      await pause(againAfterMs)
      count = nearEnough
    }
  }
}

/** Where the log ends; `reached` while the store does not say. */
const headOf = (store: EventStore, reached: Position): Promise<Position> =>
  store.head().catch((error: unknown) => {
    if (isAway(error)) return reached
    throw error
  })

/** Opens running read models as they are at one moment, at or behind a position. */
const openRunning = async (path: string, position: Position) => {
  const began = steadyTime()
  for (;;) {
    const file = openReadModelsToRead(path)
    file.sqlite.exec('BEGIN')
    const { position: reached } = checkpointOf(file)
    if (reached >= position) return { ...file, reached }
    file.sqlite.close()
    if (steadyTime() - began > longestLagMs) return undefined
    await pause(100)
  }
}

type Needs = {
  readonly store: EventStore
  /** Share of a core. */
  readonly share: number
  /** Largest number of differences listed of each table. */
  readonly most: number
  readonly progress: (events: number, position: Position, head: Position) => void
}

type Prepared = {
  readonly events: number
  readonly position: Position
  /** Undefined if no other version runs, or if its read models lag too far. */
  readonly compared?: BuildReplayed
}

/** Catches up those that this build has already. */
const continueFold = async (place: Place, { store, share, progress }: Needs): Promise<Prepared> => {
  const file = await openReadModels(place, store)
  const [projector, rest] = [makeProjector(file, projections), atShare(share)]
  let events = 0
  for await (const batch of batchesOf(store, projector.position())) {
    projector.apply(batch.map(parseEvent), batch.map(leafOf))
    events += batch.length
    progress(events, projector.position(), await headOf(store, projector.position()))
    await rest()
  }
  const position = projector.position()
  file.sqlite.close()
  return { events, position }
}

const compare = (
  draft: Draft,
  running: ReadModelFile & { readonly reached: Position },
  most: number,
): BuildReplayed => {
  const { name } = running.sqlite
  const madeBy = /([0-9a-f]{16})-\d+\.sqlite$/.exec(name)?.[1] ?? null
  return {
    position: running.reached,
    here: { madeBy: fingerprint() },
    there: { build: name, madeBy },
    ...compareFiles(draft, running, most),
  }
}

const foldAnew = async (
  draft: Draft,
  running: string | undefined,
  { store, share, most, progress }: Needs,
): Promise<Prepared> => {
  const rest = atShare(share)
  const folding = foldInto(draft)
  let [events, position] = [0, start]
  const fold = async (end?: Position): Promise<void> => {
    for await (const batch of batchesOf(store, position, end)) {
      await folding.add(batch)
      events += batch.length
      position = batch.at(-1)?.position ?? position
      progress(events, position, await headOf(store, position))
      await rest()
    }
    await folding.written()
  }
  try {
    await fold()
    const file = running === undefined ? undefined : await openRunning(running, position)
    if (!file) return { events, position }
    try {
      await fold(file.reached)
      return { events, position, compared: compare(draft, file, most) }
    } finally {
      file.sqlite.close()
    }
  } finally {
    await folding.end()
  }
}

/**
 * Folds the log into the read models of this build, beside a service of another one, and compares
 * both at one position. The next start of this build uses them. @throws UnreadableEvent,
 * StoreUnavailable, SqliteError
 */
export const prepareUpgrade = async (
  place: Place,
  options: Omit<Needs, 'store'>,
): Promise<Prepared> => {
  const store = await openStoreToRead(place)
  const needs = { ...options, store }
  try {
    if (currentReadModels(place) !== undefined) return await continueFold(place, needs)
    const draft = buildReadModels(place)
    try {
      const prepared = await foldAnew(draft, newestOfOthers(readModelsIn(place)), needs)
      draft.finish()
      return prepared
    } catch (error) {
      draft.discard()
      throw error
    }
  } finally {
    await store.close()
  }
}
