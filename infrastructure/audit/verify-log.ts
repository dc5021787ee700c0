import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PublicNoteKey } from '../../domain/transparency/signed-note.ts'
import { readMark } from '../event-store/marks.ts'
import { headOf } from '../event-store/sqlite-event-file.ts'
import { lossOf } from '../event-store/marks.ts'
import { logFileIn, type OpenedStore, type Place } from '../stores.ts'
import { auditCheckpoints, type KeptCheckpoint } from './audit-checkpoints.ts'
import { auditReadModels } from './audit-read-models.ts'
import { growingTree } from './growing-tree.ts'
import { knownKeys, ownKeysIn } from './known-keys.ts'
import {
  gatherProblems,
  type Pause,
  type Problem,
  type Problems,
  type Progress,
} from './problems.ts'
import { readEntries } from './read-entries.ts'
import { readLog } from './read-log.ts'

export type AuditOptions = {
  /** Further keys that may have signed checkpoints. */
  readonly keys?: readonly PublicNoteKey[]
  /** Checkpoints that somebody has kept. */
  readonly kept?: readonly KeptCheckpoint[]
  /** So many of the first events are not decided again. */
  readonly since?: number
  readonly progress?: Progress
  readonly pause?: Pause
}

export type Audit = {
  readonly holds: boolean
  readonly events: number
  readonly lastPosition: number
  /** Base64, of the tree of all these events. */
  readonly root: string
  readonly checkpoints: number
  /** Checkpoints that somebody has kept, and that were given. */
  readonly kept: number
  /** Whether keys to check their signatures with were there. */
  readonly hasKeys: boolean
  /** Null when there are no read models of this version to compare with. */
  readonly rowsCompared: number | null
  /** The first one first. */
  readonly problems: readonly Problem[]
  /** With those that are not listed. */
  readonly problemCount: number
}

/** What the service has noted beside its key of what it signed. */
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

/** What SQLite itself finds, and an end that was lost. */
const auditFile = ({ log }: OpenedStore, place: Place, end: number, problems: Problems): void => {
  if (!log) return
  for (const problem of log.damage())
    problems.add({ check: 'log', position: null, problem: `the file is damaged: ${problem}` })
  const mark = readMark(headOf(logFileIn(place)))
  if (mark && mark.position > end)
    problems.add({ check: 'log', position: end + 1, problem: lossOf(mark, end, 'was written') })
}

/** The roots of earlier trees, by reading the log again. */
const rootsOf = async (store: OpenedStore, end: number, sizes: readonly number[]) => {
  const roots = new Map<number, Uint8Array>()
  const wanted = new Set(sizes)
  if (wanted.size === 0) return roots
  const tree = growingTree()
  for await (const batch of readEntries(store, end))
    for (const { leaf } of batch) {
      tree.add(leaf)
      if (wanted.has(tree.size())) roots.set(tree.size(), tree.root())
    }
  return roots
}

/** Checks a log in all that can be checked, and what is derived from it. */
export const verifyLog = async (
  store: OpenedStore,
  place: Place,
  { keys = [], kept = [], since = 0, progress = () => {}, pause = () => {} }: AuditOptions = {},
): Promise<Audit> => {
  const problems = gatherProblems()
  const end = await store.head()
  const known = knownKeys(ownKeysIn(place.DATA_DIR), keys)
  const allKept = [...kept, ...ownCheckpoints(place.DATA_DIR)]
  const checkpoints = auditCheckpoints({ keys: known, kept: allKept, problems })
  auditFile(store, place, end, problems)
  const shared = { store, end, problems, progress, pause }
  const { size, root } = await readLog({ ...shared, since, checkpoints })
  const roots = await rootsOf(store, end, checkpoints.sizesLeft())
  checkpoints.finish(size, (then) => roots.get(then))
  const rowsCompared = await auditReadModels({ ...shared, place })
  const count = problems.count()
  return {
    holds: count === 0,
    events: size,
    lastPosition: end,
    root: Buffer.from(root).toString('base64'),
    checkpoints: checkpoints.count(),
    kept: kept.length,
    hasKeys: known.hasAny(),
    rowsCompared: rowsCompared ?? null,
    problems: problems.all(),
    problemCount: count,
  }
}
