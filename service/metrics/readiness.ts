import type { MessageAlarm } from '../../infrastructure/people/message-limits.ts'
import type { Core } from '../core.ts'

type Needs = Pick<Core, 'readModels' | 'failures' | 'whyNotRead' | 'isDamaged'>

/** Whether this node can take requests, and how far its read models are. */
export const makeReadiness =
  ({ readModels, failures, whyNotRead, isDamaged }: Needs, hasBegun: () => boolean) =>
  async () => {
    const { isStoreUp: canBeRead, ...progress } = await readModels.progress()
    const others = failures()
    const isKnown = canBeRead || others.some(({ of }) => of === 'log')
    const failing = isKnown ? others : [{ of: 'log' as const, why: whyNotRead() }, ...others]
    const found = { isStoreUp: failing.length === 0, failing, isDamaged: isDamaged() }
    if (!found.isStoreUp || !hasBegun() || found.isDamaged)
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
  /** Number of open connections of Pusher clients. */
  readonly listeners: number
  /** Limits of text messages that were reached in the last hour. */
  readonly messageAlarms: readonly MessageAlarm[]
}
