import {
  start,
  StoreUnavailable,
  type Position,
  type EventStore,
  type JsonObject,
  type RecordedEvent,
} from '../../application/event-store.ts'
import type { Judged } from '../rules/decide-again.ts'
import { parseEvent, UnreadableEvent, type Recorded } from '../../domain/events.ts'
import { isFileTrouble } from '../../infrastructure/failures.ts'
import {
  type OpenedStore,
  openReadModels,
  openStoreToRead,
  type Place,
} from '../../infrastructure/stores.ts'
import type { CheckpointAudit } from './audit-checkpoints.ts'
import { growingTree } from '../transparency/audit-tree.ts'
import { judgeStreams } from './judge-streams.ts'
import type { Pause, Problems, Progress } from './problems.ts'
import { clocks } from '../../domain/aggregates.ts'
import { stateAt } from '../../application/find-state.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { queriesOf } from '../../projections/read-models.ts'
import { foldInline } from '../../infrastructure/read-models/folding.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { runReadModels } from '../../infrastructure/read-models/read-models.ts'
import { auditRowsOf } from './compare-rows.ts'
import { wallClock } from '../../application/machine.ts'
import { leafHash, leafOf, uuidOf } from '../../infrastructure/event-store/event-entry.ts'
import type { Examined } from '../../infrastructure/event-store/sqlite-event-rows.ts'

/** An event of the log as stored, valid or not. */
export type Entry = Pick<RecordedEvent, 'position' | 'stream' | 'revision' | 'type'> & {
  readonly leaf: Uint8Array
  /** Undefined if its content is not JSON. */
  readonly event: RecordedEvent | undefined
  /** Why it differs from what was appended. */
  readonly problem: string | undefined
}

/** Entries per batch. */
export const batchSize = 1_000

export const jsonIn = (text: string | Uint8Array | null): JsonObject | undefined => {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

export const entryOfRow = ({ row, problem }: Examined): Entry => {
  const [position, stream, revision, hex, type, storedData, storedMetadata, , checksum] = row
  const [data, metadata] = [jsonIn(storedData), jsonIn(storedMetadata)]
  const id = uuidOf(hex)
  const about = { stream, revision, type }
  const isSound = problem === undefined && !!checksum
  const leaf = isSound
    ? checksum
    : leafHash({ ...about, id: hex, data: storedData, metadata: storedMetadata })
  return {
    position,
    stream,
    revision,
    type,
    leaf: Buffer.from(leaf, 'base64'),
    event: data && metadata && { ...about, position, id, data, metadata },
    problem: problem ?? (data && metadata ? undefined : 'it is not JSON'),
  }
}

export const entryOfEvent = (event: RecordedEvent): Entry => {
  const { position, stream, revision, type } = event
  const leaf = Buffer.from(leafOf(event).leaf, 'base64')
  return { position, stream, revision, type, leaf, event, problem: undefined }
}

/** All entries of the log up to a position, in batches, including those after damaged ones. */
export async function* readEntries(
  { log, readAll }: OpenedStore,
  end: Position,
): AsyncGenerator<readonly Entry[]> {
  if (!log) {
    for await (const batch of readAll(start))
      yield batch.filter(({ position }) => position <= end).map(entryOfEvent)
    return
  }
  let batch: Entry[] = []
  for (const examined of log.examined()) {
    if (examined.row[0] > end) break
    batch.push(entryOfRow(examined))
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

export const nothing = (): void => {}

/** Folds the whole log. For a copy that may mean from the beginning. */
export const foldAll = async (store: EventStore, file: ReadModelFile): Promise<void> => {
  const head = await store.head()
  if (head === start) return
  let fail: (error: unknown) => void = nothing
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const readModels = runReadModels({
    store,
    startFolding: foldInline({ store, file }),
    from: head,
    onEvents: nothing,
    onFolded: nothing,
    // An unavailable store may return; an unreadable event will not change.
    onFailure: (error) => (error instanceof StoreUnavailable ? undefined : fail(error)),
  })
  try {
    await Promise.race([readModels.ready(), failed])
  } finally {
    await readModels.stop()
  }
}

/** The service's clock, which the sandbox can move. */
export const clockOf = async (store: EventStore): Promise<() => Instant> => {
  const clock = streamOf(clocks, 'service')
  const { aheadBy } = await stateAt(store, clocks.decider, clock, Number.MAX_SAFE_INTEGER)
  return () => wallClock() + aheadBy
}

/** A log, or a copy of one, with up-to-date read models; nothing is appended. */
export const openAuditedLog = async (place: Place, linesInTurn?: number) => {
  const store = await openStoreToRead(place)
  const file = await openReadModels(place, store)
  const close = async (): Promise<void> => {
    await store.close()
    file.sqlite.close()
  }
  try {
    await foldAll(store, file)
    const rows = auditRowsOf(queriesOf(file.db), linesInTurn)
    return { store, rows, now: await clockOf(store), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Whether two events were recorded together: same stream, same moment. */
const isTogether = (before: Recorded, after: Recorded): boolean =>
  before.stream === after.stream &&
  before.revision + 1 === after.revision &&
  before.metadata.at === after.metadata.at &&
  before.metadata.correlationId === after.metadata.correlationId

const parsed = (entry: Entry, problems: Problems): Judged | undefined => {
  const { event: stored, problem } = entry
  if (problem !== undefined) {
    problems.at(entry, 'log', problem)
    return undefined
  }
  if (!stored) return undefined
  try {
    return { event: parseEvent(stored), stored: stored.data }
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error
    const [, reason = error.message] = / cannot be read: (.*)$/s.exec(error.message) ?? []
    problems.at(stored, 'log', `it cannot be read: ${reason}`)
    return undefined
  }
}

/** Finds missing positions, in a log without gaps. */
const watchPositions = (problems: Problems) => {
  let last: Position = start
  return (entry: Entry): void => {
    const { position } = entry
    if (position !== last + 1) {
      const missing =
        position === last + 2 ? `${last + 1} is` : `${last + 1} to ${position - 1} are`
      const problem = `event ${missing} missing from the log`
      problems.add({ check: 'log', position: last + 1, problem })
    }
    last = position
  }
}

type Needs = {
  readonly store: OpenedStore
  /** The log's end when the audit began. */
  readonly end: Position
  /** The number of first events that are not decided again. */
  readonly since: number
  readonly problems: Problems
  readonly checkpoints: CheckpointAudit
  readonly progress: Progress
  readonly pause: Pause
}

/** Reads every event once, in order, and judges it. */
export const readLog = async (needs: Needs) => {
  const { store, end, since, problems, checkpoints } = needs
  const tree = growingTree()
  const streams = judgeStreams({ store, problems })
  const watch = store.log ? watchPositions(problems) : () => {}
  let group: Judged[] = []
  let counted = 0

  const flush = async (): Promise<void> => {
    const read = group
    group = []
    if (read.length > 0) await streams.read(read, counted - read.length >= since)
  }

  const readOne = async (entry: Entry): Promise<void> => {
    watch(entry)
    tree.add(entry.leaf)
    checkpoints.grown(tree)
    const judged = parsed(entry, problems)
    const last = group.at(-1)
    if (last && !(judged && isTogether(last.event, judged.event))) await flush()
    counted += 1
    if (!judged) return streams.spoil(entry.stream)
    checkpoints.read(judged.event, tree)
    group.push(judged)
  }

  const readAll = async (): Promise<void> => {
    for await (const batch of readEntries(store, end)) {
      for (const entry of batch) await readOne(entry)
      needs.progress('reading the log', batch.at(-1)?.position ?? end, end)
      await needs.pause()
    }
    await flush()
  }

  try {
    await readAll()
  } catch (error) {
    if (!(error instanceof StoreUnavailable || isFileTrouble(error))) throw error
    const problem = `the log cannot be read to its end: ${error.message}`
    problems.add({ check: 'log', position: null, problem })
  }
  return { size: tree.size(), root: tree.root(), unsettled: streams.unsettled() }
}
