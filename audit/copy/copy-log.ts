import {
  StoreUnavailable,
  WrongExpectedRevision,
  type Position,
  start,
} from '../../application/event-store.ts'
import { fail } from '../../infrastructure/failures.ts'
import { type Source, type Target, named, type CopiedEvent } from './copied-event.ts'
import { growingTree } from '../transparency/audit-tree.ts'
import { pause } from '../../application/machine.ts'

async function* oneByOne(
  batches: AsyncIterable<readonly CopiedEvent[]>,
): AsyncGenerator<CopiedEvent> {
  for await (const batch of batches) yield* batch
}

const addTo = ({ add }: ReturnType<typeof growingTree>, { leaf }: CopiedEvent): void =>
  add(Buffer.from(leaf, 'base64'))

const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64')

/** Reads two logs in parallel. Both Merkle trees cover the common part. */
const compareLogs = (source: Source, target: Source) => {
  const [ofSource, ofTarget] = [growingTree(), growingTree()]
  let [sourceAt, targetAt]: [Position, Position] = [start, start]

  const refuse = (there: CopiedEvent, wanted: CopiedEvent | undefined): never => {
    const number = ofTarget.size() + 1
    const also = wanted ? `that of ${source.shown} ${named(wanted)}` : `${source.shown} has fewer`
    return fail(
      `${target.shown} holds something else: its event ${number} is ${named(there)}, ${also}. ` +
        'Copy into an empty place',
    )
  }

  return {
    /** Compares everything the target has received. @throws OperatorError on a difference */
    compareNew: async (onCompared: (sourceAt: Position) => void): Promise<void> => {
      const wanted = oneByOne(source.events(sourceAt))
      for await (const there of oneByOne(target.events(targetAt))) {
        const { value, done } = await wanted.next()
        if (done || value.leaf !== there.leaf) return refuse(there, done ? undefined : value)
        addTo(ofSource, value)
        addTo(ofTarget, there)
        sourceAt = value.position
        targetAt = there.position
        if (ofTarget.size() % 1_000 === 0) onCompared(sourceAt)
      }
      await wanted.return(undefined)
      onCompared(sourceAt)
    },
    size: (): number => ofTarget.size(),
    /** Source position of the last event that the target has. */
    sourceAt: (): Position => sourceAt,
    roots: () => ({ ofSource: base64(ofSource.root()), ofTarget: base64(ofTarget.root()) }),
  }
}

type Comparison = ReturnType<typeof compareLogs>

/** Consecutive attempts without progress until the target counts as unavailable. */
const mostFailures = 5

const pauseMs = 500

type OnProgress = (doing: 'copying' | 'verifying', at: Position, end: Position) => void

/** Appends what the target lacks; returns the failure if the target is unavailable. */
const appendRest = async (
  source: Source,
  target: Target,
  after: Position,
  onAppended: (at: Position) => void,
): Promise<StoreUnavailable | undefined> => {
  try {
    for await (const batch of source.events(after)) {
      await target.append(batch)
      onAppended(batch.at(-1)?.position ?? after)
    }
    return undefined
  } catch (error) {
    if (error instanceof StoreUnavailable) return error
    if (error instanceof WrongExpectedRevision)
      return fail(
        `${target.shown} does not take revision ${error.expected + 1} of ${error.stream}: it ` +
          `holds ${error.actual + 1} events of it. Either somebody else writes there, or ` +
          `${source.shown} lacks the beginning of that stream`,
      )
    throw error
  }
}

/** Copies until both logs are equal. @returns the number of events that existed before */
const copyAll = async (
  source: Source,
  target: Target,
  comparison: Comparison,
  onProgress: OnProgress,
): Promise<number> => {
  let end = await source.head()
  await comparison.compareNew((at) => onProgress('copying', at, end))
  const before = comparison.size()
  for (let failures = 0; comparison.sourceAt() < end; end = await source.head()) {
    const [size, from] = [comparison.size(), comparison.sourceAt()]
    const away = await appendRest(source, target, from, (at) => onProgress('copying', at, end))
    if (away) await pause(pauseMs)
    await comparison.compareNew((at) => onProgress('verifying', at, end))
    failures = comparison.size() > size ? 0 : failures + 1
    if (failures < mostFailures) continue
    const why = away?.message ?? 'it does not show what was appended'
    fail(`${target.shown} takes no more: ${why}. To go on, run the command again`)
  }
  return before
}

/**
 * Copies a log to another store: every event with its id, revision, data and metadata, in the same
 * order. Events already in the target are kept. @throws OperatorError if the target has anything
 * else
 */
export const copyLog = async (source: Source, target: Target, onProgress: OnProgress) => {
  const comparison = compareLogs(source, target)
  const before = await copyAll(source, target, comparison, onProgress)
  const { ofSource, ofTarget } = comparison.roots()
  if (ofSource !== ofTarget) fail(`${source.shown} and ${target.shown} have different roots`)
  const events = comparison.size()
  return { events, already_there: before, copied: events - before, root: ofTarget }
}
