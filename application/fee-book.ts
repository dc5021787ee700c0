import { termsInForce, type FeeSchedules, type FeeTerms } from '../domain/accounting/fees.ts'
import type { EventType } from '../domain/events.ts'
import type { Currency } from '../domain/money/currency.ts'
import type { Instant } from '../domain/time.ts'
import { feeSchedules, merchants } from '../domain/aggregates.ts'
import type { RecordedEvent } from './event-store.ts'
import type { Find } from './find-state.ts'
import { counted, generationalCache } from './generational-cache.ts'

const merchantsKept = 50_000

export type FindTerms = (
  merchant: string,
  currency: Currency,
  at: Instant,
) => FeeTerms | Promise<FeeTerms>

type Known = { readonly schedules: FeeSchedules; readonly ownCurrency: Currency }

const changingTypes: readonly string[] = [
  'FeesScheduled',
  'MerchantRegistered',
] satisfies readonly EventType[]

/**
 * Caches fee schedules, so that a capture needs no read. They come from the log: a read model may
 * lag behind and would charge nothing.
 */
export const makeFeeBook = ({ find }: { readonly find: Find }) => {
  const known = counted('fees', generationalCache<string, Known>(merchantsKept))
  let changeCount = 0

  const load = async (merchant: string): Promise<Known> => {
    const before = changeCount
    const [schedules, found] = await Promise.all([
      find(feeSchedules, merchant),
      find(merchants, merchant),
    ])
    const ownCurrency = found.status === 'present' ? found.data.currency : ''
    const loaded = { schedules, ownCurrency }
    // Do not cache it if something changed during the read.
    if (before === changeCount) known.set(merchant, loaded)
    return loaded
  }

  const findTerms: FindTerms = (merchant, currency, at) => {
    const termsOf = ({ schedules, ownCurrency }: Known): FeeTerms =>
      termsInForce(schedules, currency, ownCurrency, at)
    const found = known.get(merchant)
    return found ? termsOf(found) : load(merchant).then(termsOf)
  }

  /** By currency; other currencies have no fixed fees. */
  const findAllTerms = async (
    merchant: string,
    at: Instant,
  ): Promise<Readonly<Record<string, FeeTerms>>> => {
    const { schedules, ownCurrency } = known.get(merchant) ?? (await load(merchant))
    const currencies = new Set(schedules.map(({ currency }) => currency))
    return Object.fromEntries(
      [...currencies].map((currency) => [
        currency,
        termsInForce(schedules, currency, ownCurrency, at),
      ]),
    )
  }

  /** Call it with all events. */
  const observe = (events: readonly RecordedEvent[]): void => {
    for (const event of events)
      if (changingTypes.includes(event.type)) {
        changeCount += 1
        known.delete(String(event.metadata['merchant']))
      }
  }

  return { findTerms, findAllTerms, observe }
}
