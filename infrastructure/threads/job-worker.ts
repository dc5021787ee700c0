import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import {
  endThread,
  moduleAt,
  problemOf,
  type ThreadProblem,
  yieldToRequests,
  type Yielding,
} from '../worker.ts'

/** `module` is a path in the repository, without its ending: see `Begin`. */
export type JobStart = {
  readonly module: string
  readonly start: unknown
  readonly yields: Yielding | undefined
}

/**
 * The module of a job exports it as `begin`: called before the thread's first job, it returns the
 * function that performs one. `build.ts` finds these modules by the ending of their names, `-job`.
 */
export type Begin = (start: any) => Perform | Promise<Perform>

type Perform = (request: any, progress: (...report: any[]) => void) => unknown

/** Jobs may be under way at the same time; each has a number. */
export type JobRequest = { readonly number: number; readonly request: unknown }

export type JobReply = { readonly number: number } & (
  { readonly result: unknown } | { readonly progress: readonly unknown[] } | ThreadProblem
)

const run = (port: MessagePort, { module, start }: JobStart): void => {
  let begun: Promise<Perform> | undefined

  const begin = async (): Promise<Perform> => {
    try {
      const loaded = (await import(moduleAt(module).href)) as { readonly begin: Begin }
      return await loaded.begin(start)
    } catch (error) {
      // The next job tries again: a file or a server may be there by then.
      begun = undefined
      throw error
    }
  }

  const perform = async ({ number, request }: JobRequest): Promise<void> => {
    const reply = (reply: ThreadProblem | object): void =>
      port.postMessage({ number, ...reply } as JobReply)
    try {
      const job = await (begun ??= begin())
      reply({ result: await job(request, (...progress: unknown[]) => reply({ progress })) })
    } catch (error) {
      reply(problemOf(error))
    }
  }

  port.on('message', (request: JobRequest) => {
    perform(request).catch(endThread)
  })
}

if (parentPort) {
  const start = workerData as JobStart
  if (start.yields) yieldToRequests(start.yields)
  run(parentPort, start)
}
