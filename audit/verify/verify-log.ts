import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Position } from '../../application/event-store.ts'
import {
  cosignatureV1,
  ed25519,
  type PublicNoteKey,
} from '../../domain/transparency/signed-note.ts'
import { lossOf, readMark } from '../../infrastructure/event-store/marks.ts'
import { headOf } from '../../infrastructure/event-store/sqlite-event-file.ts'
import { logFileIn, type OpenedStore, type Place } from '../../infrastructure/stores.ts'
import { auditCheckpoints, type KeptCheckpoint, knownKeys, ownKeysIn } from './audit-checkpoints.ts'
import { auditReadModels } from './audit-read-models.ts'
import { growingTree } from '../transparency/audit-tree.ts'
import {
  firstOf,
  gatherProblems,
  type Found,
  type Pause,
  type Problem,
  type Problems,
  type Progress,
} from './problems.ts'
import { readEntries, readLog } from './read-log.ts'

/** Options of an audit; can be sent to another thread. */
export type AuditOptions = {
  /** Keys that must have signed checkpoints, and keys of witnesses. */
  readonly keys?: readonly PublicNoteKey[]
  readonly kept?: readonly KeptCheckpoint[]
  /** Number of first events that are not decided again. */
  readonly since?: number
}

/** Progress callback, and pause between batches. */
export type Watching = { readonly progress?: Progress; readonly pause?: Pause }

type AuditOfLog = Found & {
  readonly events: number
  /** Number of first events that were not decided again. */
  readonly since: number
  /** Root of the tree of all these events, in base64. */
  readonly root: string
  readonly checkpoints: number
  /** Number of given checkpoints that were kept outside. */
  readonly kept: number
  /** Whether there were keys to verify their signatures. */
  readonly hasKeys: boolean
}

type AuditOfReadModels = Found & {
  /** Null if there are no read models of this version. */
  readonly rowsCompared: number | null
  /** Number of reports and settlements whose transaction logs were written again. */
  readonly documents: number
}

export type Audit = Omit<AuditOfLog & AuditOfReadModels, keyof Found> & {
  readonly holds: boolean
  readonly lastPosition: Position
  /** Sorted, see `firstOf`. */
  readonly problems: readonly Problem[]
  /** Includes problems that are not listed. */
  readonly problemCount: number
}

/** The checkpoints that the service noted beside its signing key. */
const ownCheckpoints = (directory: string): KeptCheckpoint[] => {
  const by = 'checkpoint-signed.json'
  try {
    const noted = JSON.parse(readFileSync(join(directory, by), 'utf8')) as Record<
      string,
      { readonly size: number; readonly root: string }
    >
    return Object.values(noted).map(({ size, root }) => ({ size, root, by, isOwn: true }))
  } catch {
    return []
  }
}

type Noted = {
  readonly mark: ReturnType<typeof readMark>
  readonly checkpoints: readonly KeptCheckpoint[]
  /** The log's end now. Read last, because a service may be appending. */
  readonly head: Position
}

/** What is noted about the log beside it. */
const notedOf = async ({ log, head }: OpenedStore, place: Place): Promise<Noted> => {
  const mark = log && readMark(headOf(logFileIn(place)))
  const checkpoints = ownCheckpoints(place.DATA_DIR)
  return { mark, checkpoints, head: await head() }
}

/** Checks by SQLite itself, and for a lost end. */
const auditFile = ({ log }: OpenedStore, { mark, head }: Noted, problems: Problems): void => {
  if (!log) return
  for (const problem of log.damage())
    problems.add({ check: 'log', position: null, problem: `the file is damaged: ${problem}` })
  if (mark && mark.position > head)
    problems.add({ check: 'log', position: head + 1, problem: lossOf(mark, head, 'was written') })
}

/** Roots of earlier trees, by reading the log again. */
const rootsOf = async (store: OpenedStore, end: number, sizes: readonly number[]) => {
  const roots = new Map<number, Uint8Array>()
  const left = new Set(sizes)
  if (left.size === 0) return roots
  const tree = growingTree()
  for await (const batch of readEntries(store, end))
    for (const { leaf } of batch) {
      tree.add(leaf)
      if (left.has(tree.size())) roots.set(tree.size(), tree.root())
    }
  return roots
}

/** The two halves of an audit, which may run concurrently. */
export const auditParts = {
  log: async (
    store: OpenedStore,
    place: Place,
    end: Position,
    { keys = [], kept = [], since = 0 }: AuditOptions,
    { progress = () => {}, pause = () => {} }: Watching,
  ): Promise<AuditOfLog> => {
    const problems = gatherProblems()
    const ofWitnesses = keys.filter(({ kind }) => kind === cosignatureV1)
    const ofLog = keys.filter(({ kind }) => kind === ed25519)
    const known = knownKeys(ownKeysIn(place.DATA_DIR), ofLog)
    const noted = await notedOf(store, place)
    const checkpoints = auditCheckpoints({
      keys: known,
      kept: [...kept, ...noted.checkpoints],
      hasGrown: noted.head > end,
      witnesses: ofWitnesses,
      problems,
    })
    auditFile(store, noted, problems)
    const shared = { store, end, problems, progress, pause }
    const { size, root } = await readLog({ ...shared, since, checkpoints })
    const roots = await rootsOf(store, end, checkpoints.sizesLeft())
    checkpoints.finish(size, (then) => roots.get(then))
    return {
      events: size,
      since,
      root: Buffer.from(root).toString('base64'),
      checkpoints: checkpoints.count(),
      kept: kept.length,
      hasKeys: known.hasAny(),
      ...problems.found(),
    }
  },
  readModels: async (
    store: OpenedStore,
    place: Place,
    end: Position,
    _: AuditOptions,
    { progress = () => {}, pause = () => {} }: Watching,
  ): Promise<AuditOfReadModels> => {
    const problems = gatherProblems()
    const shared = { store, place, end, problems, progress, pause }
    const { rows, documents } = await auditReadModels(shared)
    return { rowsCompared: rows ?? null, documents, ...problems.found() }
  },
}

/** The combined verdict. */
export const auditOf = (end: Position, log: AuditOfLog, readModels: AuditOfReadModels): Audit => {
  const problemCount = log.problemCount + readModels.problemCount
  const { events, since, root, checkpoints, kept, hasKeys } = log
  return {
    holds: problemCount === 0,
    events,
    since,
    lastPosition: end,
    root,
    checkpoints,
    kept,
    hasKeys,
    rowsCompared: readModels.rowsCompared,
    documents: readModels.documents,
    problems: firstOf([...log.problems, ...readModels.problems]),
    problemCount,
  }
}

/** Checks a log, and everything derived from it, in this thread. */
export const verifyLog = async (
  store: OpenedStore,
  place: Place,
  options: AuditOptions = {},
  watching: Watching = {},
): Promise<Audit> => {
  const end = await store.head()
  const log = await auditParts.log(store, place, end, options, watching)
  const readModels = await auditParts.readModels(store, place, end, options, watching)
  return auditOf(end, log, readModels)
}
