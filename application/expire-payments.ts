import type { Instant } from '../domain/time.ts'
import { payments } from './aggregates.ts'
import type { Handle } from './handle.ts'

type Needs = {
  readonly handle: Handle
  readonly outcomes: {
    due(now: Instant, limit: number): readonly { readonly tid: string; readonly merchant: string }[]
    nextDeadline(): Instant | null
  }
  readonly newId: () => string
}

const batchSize = 200

/**
 * Records the expiry of every request and authorisation whose time has come, each once; a payment that was captured or
 * renewed meanwhile is left alone by its own decider. Answers when the next one is due.
 */
export const expirePayments =
  ({ handle, outcomes, newId }: Needs) =>
  async (now: Instant, caughtUp: () => Promise<void>): Promise<Instant | null> => {
    for (;;) {
      const due = outcomes.due(now, batchSize)
      if (due.length === 0) return outcomes.nextDeadline()
      const correlationId = newId()
      await Promise.all(
        due.map(({ tid, merchant }) =>
          handle(
            payments,
            tid,
            { type: 'ExpirePayment', at: now },
            { at: now, merchant, actor: 'daybook', correlationId },
          ),
        ),
      )
      await caughtUp()
    }
  }
