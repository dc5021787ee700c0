import { statfs } from 'node:fs/promises'
import type { Core } from '../core.ts'
import type { Vitals } from './readiness.ts'

/** Free space of the data directory; undefined if the system does not say. */
const freeBytes = (directory: string): Promise<number | undefined> =>
  statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  )

/** The data of `/health/ready` and `/metrics`, including pending work. */
export const serviceHealth = (core: Core, vitals: () => Promise<Vitals>) => async () => {
  const { accounting, callbacks, transparency, tree, sharedWork, settings } = core
  const { queue, destinations } = callbacks
  const now = core.now()
  const [unfinished, due, later] = [
    queue.unfinishedCount(),
    queue.dueCount(now),
    queue.laterCount(now),
  ]
  return {
    ...(await vitals()),
    freeBytes: await freeBytes(settings.DATA_DIR),
    callbacks: { unfinished, due, later, rested: destinations.restedCount() },
    checkpoint: transparency.checkpoints.newest(),
    events: tree.size(),
    reportsClosing: accounting.reports.closingCount(),
    settlementsUnfinished: accounting.settlements.unfinishedCount(),
    /** Undefined if the log is a file, because no work is shared. */
    nodes: sharedWork?.nodes(),
  }
}
