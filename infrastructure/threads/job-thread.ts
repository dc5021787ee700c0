import type { ResourceLimits } from 'node:worker_threads'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { DamagedEvent, StoreUnavailable } from '../../application/event-store.ts'
import type { Path } from '../../application/queue-by-key.ts'
import { UnreadableEvent } from '../../domain/events.ts'
import Database from '../sqlite.ts'
import { hear, moduleAt, startWorker, type ThreadProblem, type Yielding } from '../worker.ts'
import type { Begin, JobReply, JobRequest, JobStart } from './job-worker.ts'
import { aside, isOneThread, clearTimeout, setTimeout } from '../../application/machine.ts'

export const errorOf = ({ problem, code, damaged, isUnreadable }: ThreadProblem): Error => {
  if (isUnreadable) return new UnreadableEvent(problem)
  if (damaged) return new DamagedEvent(damaged, problem)
  return code === undefined ? new Error(problem) : new Database.SqliteError(problem, code)
}

/** A thread ended amid a job, so the job's outcome is unknown. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
  /** Such as ERR_WORKER_OUT_OF_MEMORY. */
  readonly code: string | undefined
  constructor(module: string, cause: NodeJS.ErrnoException | undefined) {
    super(`the thread of ${module} has ended${cause ? `: ${cause.message}` : ''}`, { cause })
    this.code = cause?.code
  }
}

type Perform<Job extends Begin> = Awaited<ReturnType<Job>>

type Request<Job extends Begin> = Parameters<Perform<Job>>[0]

type Reply<Job extends Begin> = Awaited<ReturnType<Perform<Job>>>

type OnProgress<Job extends Begin> = Parameters<Perform<Job>>[1]

type Options<Job extends Begin, Late> = {
  /** Given to each thread at its start. */
  readonly start?: Parameters<Job>[0]
  readonly resourceLimits?: ResourceLimits
  /** By default the thread has the priority of the one that starts it. */
  readonly yields?: Yielding | undefined
  /** Jobs at a time; one by default. */
  readonly concurrent?: number
  /** More are refused; any number by default. */
  readonly maxWaiting?: number
  /** A job that takes longer ends its thread; this is then its reply. */
  readonly limit?: { readonly ms: number; readonly late: (request: Request<Job>) => Late }
  /** An idle thread ends after this time; never by default. */
  readonly idleMs?: number
  /** Called when a thread can no longer write to any file. */
  readonly onEnd?: () => void
  /** After `end`, jobs fail as unavailable, with this message; by default a new thread starts. */
  readonly closed?: string
}

type Waiting = {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly onProgress: ((...report: unknown[]) => void) | undefined
}

/** A thread, with its jobs under way. It keeps the process running only while there are some. */
const startThread = (
  workerData: JobStart,
  resourceLimits: ResourceLimits | undefined,
  onEnd: () => void,
) => {
  const worker = startWorker('infrastructure/threads/job-worker', {
    workerData,
    ...(resourceLimits && { resourceLimits }),
  })
  worker.unref()
  const underWay = new Map<number, Waiting>()
  let count = 0
  let reason: Error | undefined

  hear(worker, (reply: JobReply) => {
    const waiting = underWay.get(reply.number)
    if ('progress' in reply) return waiting?.onProgress?.(...reply.progress)
    underWay.delete(reply.number)
    if (underWay.size === 0) worker.unref()
    return 'result' in reply ? waiting?.resolve(reply.result) : waiting?.reject(errorOf(reply))
  })
  worker.on('error', (error) => (reason = error))
  worker.on('exit', () => {
    onEnd()
    for (const { reject } of underWay.values()) reject(new ThreadEnded(workerData.module, reason))
  })

  return {
    perform: (request: unknown, onProgress: Waiting['onProgress']): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const number = (count += 1)
        worker.postMessage({ number, request } satisfies JobRequest)
        underWay.set(number, { resolve, reject, onProgress })
        worker.ref()
      }),
    end: async (): Promise<void> => void (await worker.terminate()),
  }
}

/** The same without a thread, for the simulator. */
const startInline = ({ module, start }: JobStart): ReturnType<typeof startThread> => {
  const begun = aside(() => import(moduleAt(module).href) as Promise<{ readonly begin: Begin }>)
  const job = begun.then(({ begin }) => begin(start))
  return {
    perform: async (request, onProgress) => (await job)(request, onProgress ?? (() => {})),
    end: () => Promise.resolve(),
  }
}

/** Starts with the first job, and again after it has ended. */
const threadOnDemand = (...[start, resourceLimits, onEnd]: Parameters<typeof startThread>) => {
  let thread: ReturnType<typeof startThread> | undefined
  const begin = () => {
    if (isOneThread()) return startInline(start)
    const begun = startThread(start, resourceLimits, () => {
      if (thread === begun) thread = undefined
      onEnd()
    })
    return begun
  }
  return {
    perform: (...args: Parameters<ReturnType<typeof startThread>['perform']>) =>
      (thread ??= begin()).perform(...args),
    end: async (): Promise<void> => {
      const last = thread
      thread = undefined
      await last?.end()
    },
  }
}

/** The outcome, or what `late` returns after that time. */
const within = (ms: number, working: Promise<unknown>, late: () => unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), ms)
    working.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** Performs the jobs of a module in a worker thread. */
export const jobThread = <Job extends Begin, Late = never>(
  module: string,
  options: Options<Job, Late> = {},
) => {
  const { start, yields, resourceLimits, limit, idleMs, onEnd = () => {}, closed } = options
  const { concurrent = 1, maxWaiting = Infinity } = options
  const inTurn = concurrencyLimit({ concurrent, maxWaiting })
  const thread = threadOnDemand({ module, start, yields }, resourceLimits, onEnd)
  const drop = (): void => void thread.end().catch(() => {})
  let idle: NodeJS.Timeout | undefined
  let underWay = 0
  let isClosed = false

  const perform = async (
    request: Request<Job>,
    onProgress?: OnProgress<Job>,
  ): Promise<Reply<Job> | Late> => {
    clearTimeout(idle)
    underWay += 1
    try {
      if (isClosed) throw new StoreUnavailable(closed)
      const working = thread.perform(request, onProgress)
      const late = (): Late | undefined => {
        drop()
        return limit?.late(request)
      }
      const result = limit ? await within(limit.ms, working, late) : await working
      return result as Reply<Job> | Late
    } catch (error) {
      throw isClosed && error instanceof ThreadEnded ? new StoreUnavailable(closed) : error
    } finally {
      underWay -= 1
      if (underWay === 0 && idleMs !== undefined) idle = setTimeout(drop, idleMs).unref()
    }
  }

  return {
    /** Waiting jobs of different owners take turns. */
    ask: (
      request: Request<Job>,
      { whose, onProgress }: { whose?: string | Path; onProgress?: OnProgress<Job> } = {},
    ): Promise<Reply<Job> | Late> => inTurn(() => perform(request, onProgress), whose),
    end: (): Promise<void> => {
      isClosed = closed !== undefined
      return thread.end()
    },
  }
}
