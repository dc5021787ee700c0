import { termsInForce, type FeeSchedules, type FeeTerms } from '../domain/accounting/fees.ts'
import type { EventType } from '../domain/events.ts'
import type { Currency } from '../domain/money/currency.ts'
import type { Instant } from '../domain/time.ts'
import { feeSchedules, merchants } from '../domain/aggregates.ts'
import type { RecordedEvent } from './event-store.ts'
import type { Find } from './handle.ts'
import { generationalCache } from './generational-cache.ts'

const merchantsKept = 50_000

/** The terms in force for a merchant and currency at an instant. */
export type FindTerms = (
  merchant: string,
  currency: Currency,
  at: Instant,
) => FeeTerms | Promise<FeeTerms>

type Known = { readonly schedules: FeeSchedules; readonly ownCurrency: Currency }

const changes: readonly string[] = [
  'FeesScheduled',
  'MerchantRegistered',
] satisfies readonly EventType[]

/**
 * The fee schedules of merchants, in memory: a capture looks them up without asking the store. They are read from the
 * log and not from a read model, which may still be catching up and would then charge nothing.
 */
export const makeFeeBook = ({ find }: { readonly find: Find }) => {
  const known = generationalCache<string, Known>(merchantsKept)
  let notices = 0

  const load = async (merchant: string): Promise<Known> => {
    const before = notices
    const [schedules, found] = await Promise.all([
      find(feeSchedules, merchant),
      find(merchants, merchant),
    ])
    const ownCurrency = found.status === 'present' ? found.data.currency : ''
    const loaded = { schedules, ownCurrency }
    // What changed while it was read may be missing from it.
    if (before === notices) known.set(merchant, loaded)
    return loaded
  }

  const findTerms: FindTerms = (merchant, currency, at) => {
    const termsOf = ({ schedules, ownCurrency }: Known): FeeTerms =>
      termsInForce(schedules, currency, ownCurrency, at)
    const found = known.get(merchant)
    return found ? termsOf(found) : load(merchant).then(termsOf)
  }

  /** All terms that are set for a merchant, by currency: in any other there are no fixed parts. */
  const findAllTerms = async (
    merchant: string,
    at: Instant,
  ): Promise<Readonly<Record<string, FeeTerms>>> => {
    const { schedules, ownCurrency } = known.get(merchant) ?? (await load(merchant))
    const currencies = new Set(schedules.map(({ currency }) => currency))
    return Object.fromEntries(
      [...currencies].map((one) => [one, termsInForce(schedules, one, ownCurrency, at)]),
    )
  }

  /** Forgets what has changed: called with all events as they come by. */
  const observe = (events: readonly RecordedEvent[]): void => {
    for (const { type, metadata } of events)
      if (changes.includes(type)) {
        notices += 1
        known.delete(String(metadata['merchant']))
      }
  }

  return { findTerms, findAllTerms, observe }
}
