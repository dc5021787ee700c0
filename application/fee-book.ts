import { termsInForce, type FeeSchedules, type FeeTerms } from '../domain/accounting/fees.ts'
import type { EventType } from '../domain/events.ts'
import type { Currency } from '../domain/money/currency.ts'
import type { Instant } from '../domain/time.ts'
import { feeSchedules } from './aggregates.ts'
import type { RecordedEvent } from './event-store.ts'
import type { Find } from './handle.ts'

const merchantsKept = 50_000

/** The terms in force for a merchant and currency at an instant. */
export type FindTerms = (
  merchant: string,
  currency: Currency,
  at: Instant,
) => FeeTerms | Promise<FeeTerms>

/**
 * The fee schedules of merchants, in memory: a capture looks them up without asking the store. They are read from the
 * log and not from a read model, which may still be catching up and would then charge nothing.
 */
export const makeFeeBook = ({ find }: { readonly find: Find }) => {
  const known = new Map<string, FeeSchedules>()
  let notices = 0

  const load = async (merchant: string): Promise<FeeSchedules> => {
    const before = notices
    const schedules = await find(feeSchedules, merchant)
    if (known.size >= merchantsKept) known.clear()
    // What changed while it was read may be missing from it.
    if (before === notices) known.set(merchant, schedules)
    return schedules
  }

  const findTerms: FindTerms = (merchant, currency, at) => {
    const schedules = known.get(merchant)
    if (schedules) return termsInForce(schedules, currency, at)
    return load(merchant).then((loaded) => termsInForce(loaded, currency, at))
  }

  /** Forgets what has changed: called with all events as they come by. */
  const notice = (events: readonly RecordedEvent[]): void => {
    for (const { type, metadata } of events)
      if (type === ('FeesScheduled' satisfies EventType)) {
        notices += 1
        known.delete(String(metadata['merchant']))
      }
  }

  return { findTerms, notice }
}
