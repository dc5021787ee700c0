import type { MessageAlarm } from '../../infrastructure/people/message-limits.ts'
import type { Core } from '../core.ts'
import { statfs } from 'node:fs/promises'
import { aside } from '../../application/machine.ts'

type Needs = Pick<Core, 'readModels' | 'failures' | 'whyNotRead' | 'isDamaged'>

/** Whether this node can take requests, and how far its read models are. */
export const makeReadiness =
  (
    { readModels, failures, whyNotRead, isDamaged }: Needs,
    { hasBegun, isStopping }: Record<'hasBegun' | 'isStopping', () => boolean>,
  ) =>
  async () => {
    const { isStoreUp: canBeRead, ...progress } = await readModels.progress()
    const others = failures()
    const isKnown = canBeRead || others.some(({ of }) => of === 'log')
    const failing = isKnown ? others : [{ of: 'log' as const, why: whyNotRead() }, ...others]
    const found = {
      isStoreUp: failing.length === 0,
      failing,
      isDamaged: isDamaged(),
      isStopping: isStopping(),
      unreadable: readModels.unreadable()?.message,
    }
    if (!found.isStoreUp || !hasBegun() || found.isDamaged || found.isStopping || found.unreadable)
      return { ...progress, ...found, isReady: false }
    // Read models slightly behind, as always under load, count as ready.
    const isReady = await readModels.reached(progress.head).then(
      () => true,
      () => false,
    )
    const [position, behind] = [readModels.position(), readModels.behind()]
    return { ...progress, ...found, position, behind, isReady }
  }

/** State known only in the thread that answers payments. */
export type Vitals = {
  readonly ready: Awaited<ReturnType<ReturnType<typeof makeReadiness>>>
  readonly listeners: number
  /** Limits of text messages that were reached in the last hour. */
  readonly messageAlarms: readonly MessageAlarm[]
}

/** Free space of the data directory; undefined if the system does not say. */
const freeBytes = (directory: string): Promise<number | undefined> =>
  aside(() => statfs(directory)).then(
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
