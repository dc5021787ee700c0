import { rmSync } from 'node:fs'
import type { EventStore } from '../../application/event-store.ts'
import { jobThread } from '../../infrastructure/threads/job-thread.ts'
import type { Where } from '../../infrastructure/worker.ts'
import { makeAndThin, type MakingRequest } from './make-moment.ts'
import { intermediateOf, type MomentFiles } from './moment-files.ts'
import type { begin, MakingStart } from './moment-job.ts'

/** In megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

type Making = {
  /** One call at a time. Returns the number of events folded. */
  readonly make: (request: MakingRequest) => Promise<number>
  readonly close: () => Promise<void>
}

/** Builds moments in a thread of low priority. */
const makeInWorker = (start: MakingStart): Making => {
  const { ask, end } = jobThread<typeof begin>('audit/as-of/moment-job', {
    start,
    yields: 'much',
    resourceLimits,
    closed: 'the service stops',
    onEnd: () => {
      for (const left of [start.draft, intermediateOf(start.draft)]) rmSync(left, { force: true })
    },
  })
  return { make: (request) => ask(request), close: end }
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
