import type { Worker } from 'node:worker_threads'
import {
  StoreUnavailable,
  WrongExpectedRevision,
  type Position,
} from '../../application/event-store.ts'
import { startWorker } from '../worker.ts'
import { unavailable } from '../unavailable.ts'
import type { Answers, Failure, Given, Reply, Request } from './commit-worker.ts'
import { commitInline, type Append, type Commits, type Waiting } from './group-commits.ts'
import { sharedEnds } from './shared-ends.ts'
import type { EventWriter } from './sqlite-event-writer.ts'

/**
 * Appends sent before the turn of the event loop ends: they are written while others are
 * decided.
 */
const appendsAtOnce = 24

/** How long appends that are wanted soon are gathered, in ms, and how many at most. */
const gatherMs = 100
const gatheredAtOnce = 100

/** In megabytes. Requests are short-lived. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

const requestOf = (appends: readonly Append[]): Request => {
  const request: Exclude<Request, 'end'>[number][] = []
  for (const { stream, rows, expected } of appends) {
    request.push(stream, expected, rows.length)
    for (const { id, type, data, metadata } of rows)
      request.push(id.toString('latin1'), type, data, metadata)
  }
  return request
}

const fail = ({ stream, reject }: Waiting, failure: Failure): void => {
  if ('problem' in failure) reject(new StoreUnavailable(failure.problem))
  else reject(new WrongExpectedRevision(stream, failure.expected, failure.actual))
}

type WorkerCommits = Commits & {
  /**
   * The log end for readers. It excludes own commits that are not acknowledged yet, unless
   * another process may have written after the acknowledged ones.
   */
  acknowledgedEnd(fileEnd: Position): Position
}

/** Appends that are wanted soon share a commit of their own: each commit costs a sync. */
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

/** Commits single appends in this thread while nothing else is under way. */
type Alone = { readonly isAlone: () => boolean; readonly writer: EventWriter }

/**
 * Commits in a worker, so that this thread answers requests while the disk syncs. `committed` is
 * called with the position of the last own event.
 */
export const commitInWorker = (
  file: string,
  committed: (end: Position) => void,
  alone?: Alone,
): WorkerCommits => {
  const ends = sharedEnds()
  const workerData: Given = { file, ends: ends.memory }
  /** Position of the last own event whose append was acknowledged. */
  let acknowledged: Position = 0
  let queue: Waiting[] = []
  /** Sent to the worker, which replies in the same order. */
  let sent: (readonly Waiting[])[] = []
  let isScheduled = false
  let thread: Worker | undefined

  const onAnswers = (answers: Answers): void => {
    let end = 0
    let at = 0
    for (const waiting of sent.shift() ?? []) {
      const answer = answers[at++] as Answers[number]
      if (typeof answer === 'object') fail(waiting, answer)
      else {
        const position = answers[at++] as Position
        end = Math.max(end, position)
        waiting.resolve({ revision: answer, position })
      }
    }
    acknowledged = Math.max(acknowledged, end)
    committed(end)
  }

  const start = (): Worker => {
    const started = startWorker('event-store/commit-worker', {
      workerData,
      resourceLimits,
    })
    let problem = 'the thread that writes the event log has ended'
    started.on('message', (reply: Reply) => {
      if ('problem' in reply) ({ problem } = reply)
      else onAnswers(reply)
    })
    started.on('error', ({ message }) => {
      // A database error arrives without its message.
      problem = message || problem
    })
    started.once('exit', () => {
      thread = undefined
      const lost = sent.flat()
      sent = []
      // Some of it may be committed: the callers, told now that it may be lost, can read it.
      acknowledged = Math.max(acknowledged, ends.get().end)
      for (const waiting of lost) fail(waiting, { problem })
    })
    return started
  }

  const send = (appends: readonly Waiting[]): void => {
    try {
      thread ??= start()
      thread.postMessage(requestOf(appends))
      sent.push(appends)
    } catch (error) {
      // There may be no room for a thread.
      for (const { reject } of appends) reject(unavailable(error))
    }
  }

  /** Whether the append was committed or failed here; false when another process holds the file. */
  const wasHandledInline = (append: Waiting, { writer }: Alone): boolean => {
    const end = commitInline(writer, append)
    if (end === undefined) return false
    // After a failure too: the caller may read what the file holds.
    acknowledged = Math.max(acknowledged, end)
    committed(end)
    return true
  }

  const flush = (): void => {
    isScheduled = false
    const appends = queue
    queue = []
    const [only] = appends
    if (!only) return
    // Nothing is under way in the worker, so the order of appends is kept.
    const isOnlyOne = appends.length === 1 && sent.length === 0
    if (isOnlyOne && alone?.isAlone() && wasHandledInline(only, alone)) return
    send(appends)
  }

  const gathering = gatherAppends(send)

  // Started early, so that the first append does not wait for it.
  thread = start()

  return {
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
    acknowledgedEnd: (fileEnd) => {
      const { end, endOfOthers } = ends.get()
      return fileEnd <= end && endOfOthers <= acknowledged ? acknowledged : fileEnd
    },
    finish: async () => {
      flush()
      gathering.flush()
      const last = thread
      if (!last) return
      const end: Request = 'end'
      last.postMessage(end)
      // By its exit every append was answered or has failed.
      await new Promise<void>((resolve) => last.once('exit', () => resolve()))
    },
  }
}
