import type { Instant } from '../domain/time.ts'
import { payments } from './aggregates.ts'
import type { Handle } from './handle.ts'

type Due = { readonly tid: string; readonly merchant: string }

type Needs = {
  readonly handle: Handle
  readonly outcomes: {
    due(now: Instant, limit: number): readonly Due[]
    nextDeadline(): Instant | null
  }
  readonly newId: () => string
}

const batchSize = 200

/**
 * Records the expiry of every request and authorisation whose time has come, each once; a payment that was captured or
 * renewed meanwhile is left alone by its own decider. Answers when the next one is due.
 * @throws Error when a payment is listed as due that is not: asking again at once would ask for ever
 */
export const expirePayments =
  ({ handle, outcomes, newId }: Needs) =>
  async (now: Instant, caughtUp: () => Promise<void>): Promise<Instant | null> => {
    let idle: Due | undefined
    for (;;) {
      const due = outcomes.due(now, batchSize)
      const [first] = due
      if (!first) return outcomes.nextDeadline()
      if (first.tid === idle?.tid)
        throw new Error(`payment ${first.tid} is listed as due, but does not expire`)
      const correlationId = newId()
      const handled = await Promise.all(
        due.map(({ tid, merchant }) =>
          handle(
            payments,
            tid,
            { type: 'ExpirePayment', at: now },
            { at: now, merchant, actor: 'daybook', correlationId },
          ),
        ),
      )
      idle = handled.some(({ events }) => events.length > 0) ? undefined : first
      await caughtUp()
    }
  }
