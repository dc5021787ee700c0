import { isOneThread } from '../../application/machine.ts'
import { openStoreToRead, type Place } from '../../infrastructure/stores.ts'
import { jobThread } from '../../infrastructure/threads/job-thread.ts'
import { performAudit, type begin, type AuditPart, type AuditStart } from './audit-job.ts'
import type { Progress } from './problems.ts'
import { auditOf, verifyLog, type Audit, type AuditOptions, type Watching } from './verify-log.ts'

/** In megabytes. An audit's memory does not grow with the log. */
const resourceLimits = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 24 }

/** A smaller log is audited before threads would have started. */
const eventsOfThreads = 20_000

/** Performs parts of an audit in a worker thread. */
export const auditInWorker = (start: AuditStart, onProgress: Progress) => {
  const { ask, end } = jobThread<typeof begin>('audit/verify/audit-job', {
    yields: start.isSlow ? 'wholly' : undefined,
    resourceLimits,
    idleMs: 0,
  })
  const found = ask({ ...start, place: { ...start.place } }, { onProgress })
  return { found, stop: end }
}

/** Performs parts of an audit in this thread. */
export const auditInline = (start: AuditStart, progress: Progress) => ({
  found: performAudit(start, progress),
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
    if (isOneThread() || end < eventsOfThreads)
      return await verifyLog(store, place, options, watching)
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
