import { openStoreToRead, type Place } from '../../infrastructure/stores.ts'
import { hear, startWorker } from '../../infrastructure/worker.ts'
import type { AuditReply } from './audit-worker.ts'
import { performAudit, type AuditFound, type AuditPart, type AuditStart } from './perform-audit.ts'
import type { Progress } from './problems.ts'
import { auditOf, verifyLog, type Audit, type AuditOptions, type Watching } from './verify-log.ts'

/** In megabytes. An audit's memory does not grow with the log. */
const resourceLimits = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 24 }

/** A smaller log is audited before threads would have started. */
const eventsOfThreads = 20_000

/** Performs parts of an audit in a worker thread. */
export const auditInWorker = (given: AuditStart, progress: Progress) => {
  const workerData = { ...given, place: { ...given.place } } satisfies AuditStart
  const thread = startWorker('audit/verify/audit-worker', { workerData, resourceLimits })
  const found = new Promise<AuditFound>((resolve, reject) => {
    hear(thread, (reply: AuditReply) => {
      if ('progress' in reply) progress(...reply.progress)
      else if ('found' in reply) resolve(reply.found)
      else reject(new Error(reply.problem))
    })
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the thread of the audit has ended')))
  })
  return {
    found,
    stop: async (): Promise<void> => void (await thread.terminate()),
  }
}

/** Performs parts of an audit in this thread. */
export const auditInline = (given: AuditStart, progress: Progress) => ({
  found: performAudit(given, progress),
  stop: async (): Promise<void> => {},
})

/** Reports the progress of the slowest part. */
const ofSlowest = (progress: Progress) => {
  const shares = new Map<AuditPart, number>()
  return (part: AuditPart): Progress =>
    (stage, done, of) => {
      shares.set(part, of === 0 ? 1 : done / of)
      if (part === 'log' || shares.get('log') === 1) progress(stage, done, of)
    }
}

/** Checks a log as `verifyLog` does; a large one in two threads. */
export const verifyPlace = async (
  { EVENT_STORE, DATA_DIR }: Place,
  options: AuditOptions,
  watching: Watching,
): Promise<Audit> => {
  const place = { EVENT_STORE, DATA_DIR }
  const store = await openStoreToRead(place)
  try {
    const end = await store.head()
    if (end < eventsOfThreads) return await verifyLog(store, place, options, watching)
    const progressOf = ofSlowest(watching.progress ?? (() => {}))
    const begin = (part: AuditPart) =>
      auditInWorker({ place, parts: [part], end, options, isSlow: false }, progressOf(part)).found
    const [{ log }, { readModels }] = await Promise.all([begin('log'), begin('readModels')])
    if (!log || !readModels) throw new Error('a part of the audit is missing')
    return auditOf(end, log, readModels)
  } finally {
    await store.close()
  }
}
