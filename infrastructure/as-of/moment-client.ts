import { rmSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { DamagedEvent, StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import Database from '../sqlite.ts'
import { startWorker, type Where } from '../worker.ts'
import { makeAndThin, type MakingRequest } from './make-moment.ts'
import { stopOf, type MomentFiles } from './moment-files.ts'
import type { MakingReply, MakingStart } from './moment-worker.ts'

/** In megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

type Making = {
  /** One call at a time. Returns the number of events folded. */
  readonly make: (request: MakingRequest) => Promise<number>
  readonly close: () => Promise<void>
}

const errorOf = (reply: Exclude<MakingReply, { readonly events: number }>): Error => {
  const { problem, code, damaged } = reply
  if (damaged) return new DamagedEvent(damaged, problem)
  return code === undefined ? new Error(problem) : new Database.SqliteError(problem, code)
}

/** Makes moments in a thread with a low priority, which starts with the first. */
const makeInWorker = (start: MakingStart): Making => {
  let thread: Worker | undefined
  let answer: ((reply: MakingReply) => void) | undefined
  let isClosed = false

  const reply = (given: MakingReply): void => {
    answer?.(given)
    answer = undefined
  }

  const begin = (): Worker => {
    const started = startWorker('as-of/moment-worker', { workerData: start, resourceLimits })
    let problem = 'the thread that makes earlier moments has ended'
    started.on('message', (given: MakingReply) => {
      started.unref()
      reply(given)
    })
    started.on('error', (error) => (problem = error.message))
    // Only now is it certain that the thread no longer writes to the draft.
    started.on('exit', () => {
      thread = undefined
      for (const left of [start.draft, stopOf(start.draft)]) rmSync(left, { force: true })
      reply({ problem })
    })
    return started
  }

  return {
    make: async (request) => {
      if (isClosed) throw new StoreUnavailable('the service stops')
      thread ??= begin()
      thread.ref()
      thread.postMessage(request)
      const given = await new Promise<MakingReply>((resolve) => (answer = resolve))
      if ('events' in given) return given.events
      throw isClosed ? new StoreUnavailable('the service stops') : errorOf(given)
    },
    close: async () => {
      isClosed = true
      await thread?.terminate()
    },
  }
}

const makeInline = (store: EventStore, files: MomentFiles): Making => ({
  make: (request) => makeAndThin(store, files, request),
  close: async () => {},
})

export const makeMoments = (
  where: Where,
  store: EventStore,
  files: MomentFiles,
  start: Omit<MakingStart, 'draft'>,
): Making =>
  where === 'inline' ? makeInline(store, files) : makeInWorker({ ...start, draft: files.draft })
