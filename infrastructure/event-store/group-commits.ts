import {
  start,
  StoreUnavailable,
  WrongExpectedRevision,
  type Appended,
  type Position,
  type Urgency,
} from '../../application/event-store.ts'
import { unavailable } from '../system-errors.ts'
import type { Ends, EventWriter, Expectation, NewRow } from './sqlite-event-writer.ts'
import { setImmediate, setTimeout, steadyTime } from '../../application/machine.ts'
import { amounts, histogram, memoryOf, quickSeconds } from '../../application/measures.ts'

export type Commits = {
  /** All rows or none. @throws WrongExpectedRevision, StoreUnavailable */
  append(
    stream: string,
    rows: readonly NewRow[],
    expected: Expectation,
    urgency?: Urgency,
  ): Promise<Appended>
  /** Resolves when no append waits. Append nothing after this call. */
  finish(): Promise<void>
}

/** Called with the duration of each commit, in ms, and its numbers of events and appends. */
export type OnCommit = (milliseconds: number, events: number, appends: number) => void

const commitBounds = { seconds: quickSeconds, events: amounts }

/**
 * Measured in the threads that commit, and read in the one that made the memory. Two of them may
 * lose a count where they meet.
 */
export const measureCommits = (memory = newMeasures()) => {
  const seconds = histogram(commitBounds.seconds, memory.seconds)
  const events = histogram(commitBounds.events, memory.events)
  const observe: OnCommit = (milliseconds, count) => {
    seconds.observe(milliseconds / 1_000)
    events.observe(count)
  }
  return { memory, observe, seconds: seconds.samples, events: events.samples }
}

const newMeasures = () => ({
  seconds: memoryOf(commitBounds.seconds),
  events: memoryOf(commitBounds.events),
})

export type CommitMemory = ReturnType<typeof newMeasures>

export type Append = {
  readonly stream: string
  readonly rows: readonly NewRow[]
  readonly expected: Expectation
}

export type Waiting = Append & {
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: Error) => void
}

/** Maximum rows per commit, so that other work in this thread gets its turn. */
const rowsPerCommit = 2_000

/** How long an append waits for other processes' locks, in ms. */
const timeoutMs = 5_000

const retryDelay = 2

type Queued = Waiting & { readonly since: number }

const takeGroup = (queue: Queued[]): Queued[] => {
  let rows = 0
  let count = 0
  for (const waiting of queue) {
    if (count > 0 && rows + waiting.rows.length > rowsPerCommit) break
    rows += waiting.rows.length
    count += 1
  }
  return queue.splice(0, count)
}

/** Writes and commits one group. Answers none of it before all of it is durable. */
const writeGroup = (
  writer: EventWriter,
  group: readonly Waiting[],
  onCommit: OnCommit = () => {},
): Ends => {
  const answers: (() => void)[] = []
  const begun = steadyTime()
  let count = 0
  for (const { stream, rows, expected, resolve, reject } of group) {
    try {
      const appended = writer.write(stream, rows, expected)
      count += rows.length
      answers.push(() => resolve(appended))
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error
      answers.push(() => reject(error))
    }
  }
  const ends = writer.commit()
  onCommit(steadyTime() - begun, count, group.length)
  for (const answer of answers) answer()
  return ends
}

/**
 * Commits one append inline. Returns the end of the log, or undefined if another process has locked
 * the file. Other failures go to the append's caller.
 */
export const commitInline = (
  writer: EventWriter,
  append: Waiting,
  onCommit?: OnCommit,
): Position | undefined => {
  try {
    return writer.begin() ? writeGroup(writer, [append], onCommit).end : undefined
  } catch (error) {
    append.reject(unavailable(error))
    writer.abandon()
    return start
  }
}

/** Commits the appends of one turn of the event loop together. */
export const commitInGroups = (
  writer: EventWriter,
  /** Called before the callers are answered. */
  committed: (ends: Ends) => void,
  onCommit?: OnCommit,
): Commits => {
  const queue: Queued[] = []
  let isScheduled = false
  let emptied: (() => void) | undefined

  const schedule = (): void => {
    if (isScheduled || queue.length === 0) return
    isScheduled = true
    setImmediate(flush)
  }

  const scheduleRetry = (): void => {
    isScheduled = true
    setTimeout(flush, retryDelay)
  }

  const flush = (): void => {
    isScheduled = false
    let group: readonly Waiting[] = []
    try {
      if (writer.begin()) {
        group = takeGroup(queue)
        committed(writeGroup(writer, group, onCommit))
      } else if (steadyTime() - (queue[0]?.since ?? 0) < timeoutMs) {
        return scheduleRetry()
      } else {
        throw new StoreUnavailable('another process holds the event log')
      }
    } catch (error) {
      // Without a transaction the whole queue would fail the same way.
      const failed = group.length > 0 ? group : queue.splice(0)
      for (const { reject } of failed) reject(unavailable(error))
      // An open transaction would lock out every writer.
      writer.abandon()
    } finally {
      if (queue.length === 0) emptied?.()
      schedule()
    }
  }

  return {
    append: (stream, rows, expected) =>
      new Promise((resolve, reject) => {
        queue.push({ stream, rows, expected, since: steadyTime(), resolve, reject })
        schedule()
      }),
    finish: () =>
      new Promise((resolve) => {
        if (queue.length === 0) resolve()
        else emptied = resolve
      }),
  }
}
