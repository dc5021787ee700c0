import type { Revision } from '../../application/event-store.ts'
import { recent } from '../../application/recent.ts'
import type { Recorded } from '../../domain/events.ts'
import type { PaymentOutcome } from '../../projections/payment-outcome-state.ts'
import { paymentOutcome } from '../../projections/payment-outcome.ts'

/** The events of a stream from a revision on, up to another, in batches. */
export type ReadHistory = (
  stream: string,
  from: Revision,
  upTo: Revision,
) => AsyncIterable<readonly Recorded[]>

/** Of how many payments the outcome that was told last is remembered at least: of fewer with captures, for these may be many. */
const remembered = 1_000
const withCaptures = {
  weightOf: ({ captures, refunds }: PaymentOutcome) => captures.length + refunds.length,
  weight: 256,
}

/**
 * Outcomes as of a revision of their streams. A payment's messages are told in order, so each goes on from the outcome
 * before it.
 */
export const outcomesAsOf = (readHistory: ReadHistory) => {
  const told = recent<string, PaymentOutcome>(remembered, withCaptures)
  return async (stream: string, revision: Revision): Promise<PaymentOutcome> => {
    const last = told.get(stream)
    let outcome = last && last.revision <= revision ? last : undefined
    for await (const events of readHistory(stream, (outcome?.revision ?? -1) + 1, revision))
      for (const event of events) outcome = paymentOutcome.apply(outcome, event)
    if (!outcome) throw new Error(`${stream} is no payment`)
    told.set(stream, outcome)
    return outcome
  }
}
