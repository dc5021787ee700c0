import { callbacks } from '../domain/aggregates.ts'
import { waitsTooLong } from '../domain/callback.ts'
import { clockToleranceMs, isAhead, type Instant } from '../domain/time.ts'
import type { CallbackQueue } from './callback-queue.ts'
import type { Share } from './share.ts'

type Needs = {
  readonly queue: Pick<CallbackQueue, 'dueAfter'>
  readonly share: Share
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
}

/** Retries messages now that a clock ahead of time postponed. */
export const bringForwardMessages = ({ queue, share, caughtUp, newId }: Needs) => {
  let latestCheck: Instant | undefined

  return {
    noteCheck: (at: Instant): void => {
      latestCheck = Math.max(at, latestCheck ?? at)
    },
    /** Does something only at the start and after the clock was set back. */
    bringForward: async (at: Instant): Promise<void> => {
      if (latestCheck !== undefined && !isAhead(latestCheck, at)) return
      const postponed = queue
        .dueAfter(at + clockToleranceMs)
        .filter(({ waiting: [first] }) => first && waitsTooLong(first, at))
      for (const { merchant, waiting } of postponed) {
        const [first] = waiting
        if (!first || !share.isOwn(merchant)) continue
        const { id, attempts: _, nextAttemptAt: __, ...message } = first
        const context = { at, merchant, actor: 'daybook', correlationId: newId() }
        await share.handle(callbacks, id, { type: 'BringForward', at, message }, context)
      }
      if (postponed.length > 0) await caughtUp()
      latestCheck = undefined
    },
  }
}
