import type { Worker } from 'node:worker_threads'
import {
  StoreUnavailable,
  WrongExpectedRevision,
  type Position,
} from '../../application/event-store.ts'
import { startWorker } from '../worker.ts'
import { unavailable } from '../unavailable.ts'
import type { Answers, Failure, Given, Tells, Told } from './commit-worker.ts'
import type { Append, Commits, Waiting } from './group-commits.ts'
import { sharedEnds } from './shared-ends.ts'

/** So many appends are sent before the turn of the event loop ends: they are written while others are decided. */
const appendsAtOnce = 24

/** In megabytes: what comes is written and forgotten. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

const toldOf = (appends: readonly Append[]): Told => {
  const told: Exclude<Told, 'end'>[number][] = []
  for (const { stream, rows, expected } of appends) {
    told.push(stream, expected, rows.length)
    for (const { id, type, data, metadata } of rows)
      told.push(id.toString('latin1'), type, data, metadata)
  }
  return told
}

const fail = ({ stream, reject }: Waiting, failure: Failure): void => {
  if ('problem' in failure) reject(new StoreUnavailable(failure.problem))
  else reject(new WrongExpectedRevision(stream, failure.expected, failure.actual))
}

type WorkerCommits = Commits & {
  /**
   * Where the log ends for readers who need see nothing before its append is answered: own events that are committed and
   * not answered yet are left out, unless others may have written behind those that are answered.
   */
  endHeard(fileEnd: Position): Position
}

/**
 * Commits in a thread of its own, so that requests are answered while the disk is waited for. `committed` is told where
 * the last own event stands.
 */
export const commitInWorker = (file: string, committed: (end: Position) => void): WorkerCommits => {
  const ends = sharedEnds()
  const workerData: Given = { file, ends: ends.memory }
  /** Where the last own event stands whose append was answered. */
  let heard: Position = 0
  let queue: Waiting[] = []
  /** What was told, and is answered in the same order. */
  let told: (readonly Waiting[])[] = []
  let isScheduled = false
  let thread: Worker | undefined

  const onAnswers = (answers: Answers): void => {
    let end = 0
    let at = 0
    for (const waiting of told.shift() ?? []) {
      const answer = answers[at++] as Answers[number]
      if (typeof answer === 'object') fail(waiting, answer)
      else {
        const position = answers[at++] as Position
        end = Math.max(end, position)
        waiting.resolve({ revision: answer, position })
      }
    }
    heard = Math.max(heard, end)
    committed(end)
  }

  const start = (): Worker => {
    const started = startWorker('event-store/commit-worker', {
      workerData,
      resourceLimits,
    })
    let problem = 'the thread that writes the event log has ended'
    started.on('message', (tells: Tells) => {
      if ('problem' in tells) ({ problem } = tells)
      else onAnswers(tells)
    })
    started.on('error', ({ message }) => {
      // An error of the database arrives without its message.
      problem = message || problem
    })
    started.once('exit', () => {
      thread = undefined
      const lost = told.flat()
      told = []
      // Some of it may be committed: whoever hears now that it may be lost can read whether it is.
      heard = Math.max(heard, ends.get().end)
      for (const waiting of lost) fail(waiting, { problem })
    })
    return started
  }

  const flush = (): void => {
    isScheduled = false
    if (queue.length === 0) return
    const appends = queue
    queue = []
    try {
      thread ??= start()
      thread.postMessage(toldOf(appends))
      told.push(appends)
    } catch (error) {
      // There may be no room for a thread.
      for (const { reject } of appends) reject(unavailable(error))
    }
  }

  // Whoever appends first should not have to wait for it to begin.
  thread = start()

  return {
    append: (stream, rows, expected) =>
      new Promise((resolve, reject) => {
        queue.push({ stream, rows, expected, resolve, reject })
        if (queue.length >= appendsAtOnce) return flush()
        if (isScheduled) return
        isScheduled = true
        setImmediate(flush)
      }),
    endHeard: (fileEnd) => {
      const { end, endOfOthers } = ends.get()
      return fileEnd <= end && endOfOthers <= heard ? heard : fileEnd
    },
    finish: async () => {
      flush()
      const last = thread
      if (!last) return
      const end: Told = 'end'
      last.postMessage(end)
      // Whatever it ends with was told to those who waited.
      await new Promise<void>((resolve) => last.once('exit', () => resolve()))
    },
  }
}
