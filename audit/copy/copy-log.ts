import { existsSync } from 'node:fs'
import { leafHash, bytesOf, uuidOf } from '../../infrastructure/event-store/event-entry.ts'
import {
  StoreUnavailable,
  WrongExpectedRevision,
  start,
  type Position,
} from '../../application/event-store.ts'
import { fail } from '../../infrastructure/failures.ts'
import { UnusableLog } from '../../infrastructure/event-store/sqlite-event-file.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import type { Examined } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { logFileIn, openStoreToRead } from '../../infrastructure/stores.ts'
import { makeFolder } from '../../infrastructure/open-files.ts'
import { reasonOf } from '../../infrastructure/system-errors.ts'
import { growingTree } from '../transparency/audit-tree.ts'
import { pause } from '../../application/machine.ts'

/** An event to copy; data and metadata are the stored text. */
export type CopiedEvent = {
  readonly position: Position
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
  /** When the store wrote it, in ms. */
  readonly recordedAt: number | undefined
  /** RFC 6962 leaf hash of its entry, in base64. */
  readonly leaf: string
}

/** A log to read. */
export type Source = {
  /** As named by the operator, without a password. */
  readonly label: string
  readonly head: () => Promise<Position>
  /** Up to the current end. @throws OperatorError for what cannot be copied */
  readonly events: (after: Position) => AsyncIterable<readonly CopiedEvent[]>
  /** Whether there is a vault beside the log, in streams that are not part of it. */
  readonly holdsVault?: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** A log to write. */
export type Target = Source & {
  /**
   * Appends all in order. If it throws, some may have been appended: read the log to find out.
   * @throws StoreUnavailable, WrongExpectedRevision
   */
  readonly append: (events: readonly CopiedEvent[]) => Promise<void>
}

export const named = ({ stream, revision, type }: CopiedEvent): string =>
  `${type}, revision ${revision} of ${stream}`

export const leafOfCopy = ({ id, ...event }: Omit<CopiedEvent, 'leaf'>): string =>
  leafHash({ ...event, id: id.replaceAll('-', '') })

/** Consecutive events of one stream, for one append each. */
export const runsOf = (
  events: readonly CopiedEvent[],
  mostEvents: number,
  mostBytes: number,
): readonly (readonly CopiedEvent[])[] => {
  const runs: CopiedEvent[][] = []
  let bytes = 0
  for (const event of events) {
    const run = runs.at(-1)
    const size = Buffer.byteLength(event.data)
    const isSameStream = run?.[0]?.stream === event.stream
    const continues = run && isSameStream && run.length < mostEvents && bytes + size <= mostBytes
    if (continues) run.push(event)
    else runs.push([event])
    bytes = continues ? bytes + size : size
  }
  return runs
}

/** Adds the store's name to StoreUnavailable. */
export const ofStore = async <Answer>(label: string, answer: Promise<Answer>): Promise<Answer> => {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return fail(`${label} cannot be used: ${error.message}`)
  }
}

const batchSize = 1_000

/** Maximum events and characters per append. */
const [mostEvents, mostBytes] = [1_000, 1_048_576]

const copyOf = ({ row, problem }: Examined): CopiedEvent => {
  const [position, stream, revision, hex, type, data, metadata, recordedAt, checksum] = row
  const place = `event ${position}, revision ${revision} of ${stream},`
  if (problem !== undefined) fail(`${place} is damaged: ${problem}`)
  if (typeof data !== 'string' || typeof metadata !== 'string')
    return fail(`${place} is not JSON: the service did not write it, and cannot copy it`)
  const event = { position, stream, revision, type, data, metadata, recordedAt, id: uuidOf(hex) }
  return { ...event, leaf: checksum || leafOfCopy(event) }
}

async function* eventsIn(log: EventLog, after: Position): AsyncGenerator<CopiedEvent[]> {
  let batch: CopiedEvent[] = []
  for (const examined of log.examined(after)) {
    batch.push(copyOf(examined))
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const rowOf = ({ id, type, data, metadata, recordedAt }: CopiedEvent) => ({
  type,
  data,
  metadata,
  recordedAt,
  id: bytesOf(id) ?? fail(`${id} is not an event id`),
})

const appendTo = async (log: EventLog, events: readonly CopiedEvent[]): Promise<void> => {
  const appends = runsOf(events, mostEvents, mostBytes).map((run) => {
    const [{ stream, revision }] = run as [CopiedEvent]
    return log.append(stream, run.map(rowOf), revision - 1)
  })
  for (const ended of await Promise.allSettled(appends))
    if (ended.status === 'rejected') throw ended.reason
}

/** Adds the name of the folder to its errors. */
const inFolder = async <Answer>(label: string, open: () => Promise<Answer> | Answer) => {
  try {
    return await open()
  } catch (error) {
    if (error instanceof UnusableLog) return fail(`${label}: ${error.message}`)
    const reason = reasonOf(error)
    if (reason !== undefined) return fail(`${label}: ${reason}`)
    throw error
  }
}

const labelOf = (folder: string): string => `sqlite:${folder}`

const reading = (folder: string, log: EventLog, close: () => Promise<void>): Source => ({
  label: labelOf(folder),
  head: async () => log.head(),
  events: (after) => eventsIn(log, after),
  close,
})

/** @throws OperatorError if there is no log */
export const embeddedSource = (folder: string): Promise<Source> =>
  inFolder(labelOf(folder), async () => {
    const { log, close } = await openStoreToRead({ EVENT_STORE: 'sqlite', DATA_DIR: folder })
    return log ? reading(folder, log, close) : fail(`${folder} contains no log`)
  })

/** The log in a folder, which may already contain the vault and the keys. */
export const embeddedTarget = (folder: string): Promise<Target> =>
  inFolder(labelOf(folder), () => {
    const file = logFileIn({ DATA_DIR: folder })
    if (!existsSync(folder)) makeFolder(folder, 0o700)
    const { log, close } = openSqliteEventStore(file)
    return { ...reading(folder, log, close), append: (events) => appendTo(log, events) }
  })

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

  const refuse = (there: CopiedEvent, expected: CopiedEvent | undefined): never => {
    const number = ofTarget.size() + 1
    const also = expected
      ? `that of ${source.label} ${named(expected)}`
      : `${source.label} has fewer`
    return fail(
      `${target.label} holds something else: its event ${number} is ${named(there)}, ${also}. ` +
        'Copy into an empty place',
    )
  }

  return {
    /** Compares everything the target has received. @throws OperatorError on a difference */
    compareNew: async (onCompared: (sourceAt: Position) => void): Promise<void> => {
      const expected = oneByOne(source.events(sourceAt))
      for await (const there of oneByOne(target.events(targetAt))) {
        const { value, done } = await expected.next()
        if (done || value.leaf !== there.leaf) return refuse(there, done ? undefined : value)
        addTo(ofSource, value)
        addTo(ofTarget, there)
        sourceAt = value.position
        targetAt = there.position
        if (ofTarget.size() % 1_000 === 0) onCompared(sourceAt)
      }
      await expected.return(undefined)
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
        `${target.label} does not take revision ${error.expected + 1} of ${error.stream}: it ` +
          `holds ${error.actual + 1} events of it. Either somebody else writes there, or ` +
          `${source.label} lacks the beginning of that stream`,
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
    fail(`${target.label} takes no more: ${why}. To go on, run the command again`)
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
  if (ofSource !== ofTarget) fail(`${source.label} and ${target.label} have different roots`)
  const events = comparison.size()
  return { events, already_there: before, copied: events - before, root: ofTarget }
}
