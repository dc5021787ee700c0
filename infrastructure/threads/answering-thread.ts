import type { Worker, WorkerOptions } from 'node:worker_threads'
import { DamagedEvent, StoreUnavailable } from '../../application/event-store.ts'
import { UnreadableEvent } from '../../domain/events.ts'
import Database from '../sqlite.ts'
import { hear, startWorker } from '../worker.ts'

/** An error in the form sent between threads, where its class would be lost. */
export type ThreadProblem = {
  readonly problem: string
  /** Code of an SQLite error. */
  readonly code?: string
  readonly damaged?: DamagedEvent['event']
  readonly isUnreadable?: true
}

export const problemOf = (error: unknown): ThreadProblem => {
  if (error instanceof DamagedEvent) return { problem: error.problem, damaged: error.event }
  const problem = error instanceof Error ? error.message : String(error)
  if (error instanceof UnreadableEvent) return { problem, isUnreadable: true }
  return error instanceof Database.SqliteError ? { problem, code: error.code } : { problem }
}

export const errorOf = ({ problem, code, damaged, isUnreadable }: ThreadProblem): Error => {
  if (isUnreadable) return new UnreadableEvent(problem)
  if (damaged) return new DamagedEvent(damaged, problem)
  return code === undefined ? new Error(problem) : new Database.SqliteError(problem, code)
}

/** The worker's reply. */
export type Answered<Result> = { readonly result: Result } | ThreadProblem

type Thread = {
  readonly options: WorkerOptions
  /** Completes "the thread that …", such as "writes logs". */
  readonly does: string
  /** Message of the StoreUnavailable that requests fail with after closing. */
  readonly closed: string
  /** Called once the thread can no longer write to any file. */
  readonly onEnd: () => void
}

/** A worker thread that starts with the first request, and restarts after a crash. */
export const answeringThread = <Question, Result>(name: string, about: Thread) => {
  let thread: Worker | undefined
  let answer: ((given: Answered<Result> | Error) => void) | undefined
  let isClosed = false

  const reply = (given: Answered<Result> | Error): void => {
    answer?.(given)
    answer = undefined
  }

  const begin = (): Worker => {
    const started = startWorker(name, about.options)
    let reason = new Error(`the thread that ${about.does} has ended`)
    hear(started, (given: Answered<Result>) => {
      started.unref()
      reply(given)
    })
    started.on('error', (error) => (reason = error))
    started.on('exit', () => {
      thread = undefined
      about.onEnd()
      reply(reason)
    })
    return started
  }

  const stopped = (): StoreUnavailable => new StoreUnavailable(about.closed)

  return {
    /** One call at a time. */
    ask: async (question: Question): Promise<Result> => {
      if (isClosed) throw stopped()
      thread ??= begin()
      thread.ref()
      thread.postMessage(question)
      const given = await new Promise<Answered<Result> | Error>((resolve) => (answer = resolve))
      if ('result' in given) return given.result
      if (isClosed) throw stopped()
      throw given instanceof Error ? given : errorOf(given)
    },
    close: async (): Promise<void> => {
      isClosed = true
      await thread?.terminate()
    },
  }
}
