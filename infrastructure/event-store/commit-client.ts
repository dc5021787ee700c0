import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { areSpansRecorded } from '../../application/tracing.ts'
import {
  type Commit,
  type Position,
  StoreUnavailable,
  WrongExpectedRevision,
} from '../../application/event-store.ts'
import {
  commitInline,
  measureCommits,
  type Append,
  type Commits,
  type OnCommit,
  type Waiting,
} from './group-commits.ts'
import { sharedEnds } from './shared-request.ts'
import type { EventWriter } from './sqlite-event-writer.ts'
import { unavailable } from '../system-errors.ts'
import type { Answers, Failure, Reply, Request, CommitStart, Shared } from './commit-worker.ts'
import { once } from 'node:events'
import { hear, startWorker } from '../worker.ts'
import { clearTimeout, setImmediate, setTimeout } from '../../application/machine.ts'

/** In megabytes. Requests are short-lived. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

/** The thread that writes the log: started by this thread, or shared by the one that did. */
type Writing = {
  readonly post: (request: Request | Shared, transfer?: readonly MessagePort[]) => void
  /** Resolves when everything is answered. */
  readonly end: () => Promise<void>
}

type StartWriting = (
  onReply: (reply: Reply) => void,
  onEnd: () => void,
  onProblem: (problem: string) => void,
) => Writing

const threadFor =
  (workerData: CommitStart): StartWriting =>
  (onReply, onEnd, onProblem) => {
    const worker = startWorker('infrastructure/event-store/commit-worker', {
      workerData,
      resourceLimits,
    })
    hear(worker, onReply)
    // A database error arrives without its message.
    worker.on('error', ({ message }) => message && onProblem(message))
    worker.once('exit', onEnd)
    return {
      post: (request, transfer) => worker.postMessage(request, transfer),
      end: async () => {
        const exit = once(worker, 'exit')
        worker.postMessage('end' satisfies Request)
        // When it exits, every append has been answered or has failed.
        await exit
      },
    }
  }

/** A thread that another thread started, and will end. */
const threadBehind = (port: MessagePort): StartWriting => {
  let hasEnded = false
  return (onReply, onEnd) => {
    // Messages posted to it would be lost.
    if (hasEnded) throw new StoreUnavailable('the thread that writes the event log has ended')
    port.on('message', onReply)
    port.once('close', () => {
      hasEnded = true
      onEnd()
    })
    return {
      post: (request) => port.postMessage(request),
      end: async () => {
        const closed = once(port, 'close')
        port.postMessage('end' satisfies Request)
        await closed
      },
    }
  }
}

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

/** Sends appends to the writer thread, which replies in order. */
const sendAppends = (start: StartWriting, answered: (end: Position) => void, onEnd: () => void) => {
  /** In flight. */
  let sent: (readonly Waiting[])[] = []
  let writing: Writing | undefined

  const onAnswers = (answers: Answers): void => {
    const [milliseconds, appends] = answers as readonly number[]
    const commit = areSpansRecorded() ? { commit: { milliseconds, appends } as Commit } : undefined
    let end = 0
    let at = 2
    for (const waiting of sent.shift() ?? []) {
      const answer = answers[at++] as Answers[number]
      if (typeof answer === 'object') fail(waiting, answer)
      else {
        const position = answers[at++] as Position
        end = Math.max(end, position)
        waiting.resolve({ revision: answer, position, ...commit })
      }
    }
    answered(end)
  }

  const started = (): Writing => {
    let problem = 'the thread that writes the event log has ended'
    const onReply = (reply: Reply): void => {
      if ('problem' in reply) ({ problem } = reply)
      else onAnswers(reply)
    }
    const ended = (): void => {
      writing = undefined
      const lost = sent.flat()
      sent = []
      // Some of it may be committed: callers, notified now that it may be lost, can read it.
      onEnd()
      for (const waiting of lost) fail(waiting, { problem })
    }
    return start(onReply, ended, (reported) => (problem = reported))
  }

  return {
    begin: (): Writing => (writing ??= started()),
    send: (appends: readonly Waiting[]): void => {
      try {
        writing ??= started()
        writing.post(requestOf(appends))
        sent.push(appends)
      } catch (error) {
        // There may be no memory for a thread.
        for (const { reject } of appends) reject(unavailable(error))
      }
    },
    isAnythingSent: (): boolean => sent.length > 0,
    end: async (): Promise<void> => writing?.end(),
  }
}

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
type Alone = {
  readonly isAlone: () => boolean
  readonly writer: EventWriter
  readonly onCommit: OnCommit
}

/** Whether the append succeeded or failed inline; false if another process has locked the file. */
const wasHandledInline = (
  append: Waiting,
  { writer, onCommit }: Alone,
  acknowledge: (end: Position) => void,
): boolean => {
  const end = commitInline(writer, append, onCommit)
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
  measures = measureCommits().memory,
): WorkerCommits & { readonly share: () => MessagePort } => {
  const ends = sharedEnds()
  const start = threadFor({ file, ends: ends.memory, measures })
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
