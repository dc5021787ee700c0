import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'
import { commitInline, type Commits, type Waiting } from './group-commits.ts'
import { sendAppends } from './send-appends.ts'
import { sharedEnds } from './shared-ends.ts'
import type { EventWriter } from './sqlite-event-writer.ts'
import { threadBehind, threadFor, type StartWriting, type Writing } from './writing-thread.ts'

/**
 * Batch size for sending appends before the turn of the event loop ends, so that they are written
 * while others are decided.
 */
const appendsAtOnce = 24

/** How long `soon` appends are gathered, in ms, and how many at most. */
const gatherMs = 100
const gatheredAtOnce = 100

type WorkerCommits = Commits & {
  /**
   * Log end for readers, excluding our unacknowledged commits, unless another process may have
   * written after the acknowledged ones.
   */
  acknowledgedEnd(fileEnd: Position): Position
}

/** Gathers `soon` appends in a commit of their own, because each commit costs a sync. */
const gatherAppends = (send: (appends: readonly Waiting[]) => void) => {
  let gathered: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const appends = gathered
    gathered = []
    if (appends.length > 0) send(appends)
  }
  return {
    add: (append: Waiting): void => {
      gathered.push(append)
      if (gathered.length >= gatheredAtOnce) flush()
      else timer ??= setTimeout(flush, gatherMs)
    },
    flush,
  }
}

/** Commits single appends in this thread while nothing else is in flight. */
type Alone = { readonly isAlone: () => boolean; readonly writer: EventWriter }

/** Whether the append succeeded or failed inline; false if another process has locked the file. */
const wasHandledInline = (
  append: Waiting,
  { writer }: Alone,
  acknowledge: (end: Position) => void,
): boolean => {
  const end = commitInline(writer, append)
  // After a failure too, because the caller may then read the file.
  if (end !== undefined) acknowledge(end)
  return end !== undefined
}

/**
 * Commits in another thread, so that this one answers requests during the sync. `committed` is
 * called with the position of the last own event.
 */
const commitInOtherThread = (
  start: StartWriting,
  ends: ReturnType<typeof sharedEnds>,
  committed: (end: Position) => void,
  alone?: Alone,
): Commits & { readonly begin: () => Writing; readonly acknowledged: () => Position } => {
  /** Position of the last acknowledged own event. */
  let acknowledged: Position = 0
  let queue: Waiting[] = []
  let isScheduled = false

  const acknowledge = (end: Position): void => {
    acknowledged = Math.max(acknowledged, end)
    committed(end)
  }
  const { begin, send, isAnythingSent, end } = sendAppends(start, acknowledge, () => {
    acknowledged = Math.max(acknowledged, ends.get().end)
  })

  const flush = (): void => {
    isScheduled = false
    const appends = queue
    queue = []
    const [only] = appends
    if (!only) return
    // Nothing is in flight in the worker, so the order of appends is kept.
    const isOnlyOne = appends.length === 1 && !isAnythingSent()
    if (isOnlyOne && alone?.isAlone() && wasHandledInline(only, alone, acknowledge)) return
    send(appends)
  }

  const gathering = gatherAppends(send)

  // Started early, so that the first append does not wait for it.
  begin()

  return {
    begin,
    acknowledged: (): Position => acknowledged,
    append: (stream, rows, expected, urgency) =>
      new Promise((resolve, reject) => {
        const append = { stream, rows, expected, resolve, reject }
        if (urgency === 'soon') return gathering.add(append)
        queue.push(append)
        if (queue.length >= appendsAtOnce) return flush()
        if (isScheduled) return
        isScheduled = true
        // After the microtasks of this turn, in which other requests of the turn append.
        if (alone?.isAlone()) process.nextTick(flush)
        else setImmediate(flush)
      }),
    finish: async (): Promise<void> => {
      flush()
      gathering.flush()
      await end()
    },
  }
}

/** Commits in a worker thread, which other threads may share. */
export const commitInWorker = (
  file: string,
  committed: (end: Position) => void,
  alone?: Alone,
): WorkerCommits & { readonly share: () => MessagePort } => {
  const ends = sharedEnds()
  const start = threadFor({ file, ends: ends.memory })
  const { begin, acknowledged, ...commits } = commitInOtherThread(start, ends, committed, alone)
  return {
    ...commits,
    acknowledgedEnd: (fileEnd) => {
      const { end, endOfOthers } = ends.get()
      if (fileEnd > end || endOfOthers > acknowledged()) return fileEnd
      return Math.max(acknowledged(), ends.endOfSharers())
    },
    share: () => {
      const { port1, port2 } = new MessageChannel()
      begin().post({ shared: port2 }, [port2])
      return port1
    },
  }
}

/** Commits through a port to another thread's worker. */
export const commitThrough = (
  port: MessagePort,
  committed: (end: Position) => void,
): WorkerCommits => {
  const { append, finish } = commitInOtherThread(threadBehind(port), sharedEnds(), committed)
  // This thread does not know what other threads were acknowledged, so reads go to the end of the
  // file.
  return { append, finish, acknowledgedEnd: (fileEnd) => fileEnd }
}
