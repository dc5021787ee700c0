import { termsInForce, type FeeSchedules, type FeeTerms } from '../../domain/accounting/fees.ts'
import type { Facts } from '../rules/causes.ts'
import { decideOtherwise, type Judge } from '../rules/decide-again.ts'
import type { EventType, Recorded } from '../../domain/events.ts'
import { factBook } from '../rules/fact-book.ts'
import { lineBook } from '../verify/line-book.ts'

/** Events with charges to a merchant. */
const charging: readonly string[] = [
  'PaymentCaptured',
  'PaymentRefunded',
  'PermissionGranted',
  'PermissionDeclined',
  'SettlementMade',
] satisfies readonly EventType[]

/** Fee schedules by merchant, replacing those that were set. */
export type OtherFees = ReadonlyMap<string, FeeSchedules>

/** Computes charges with other fees, ignoring those that were set. */
export const otherTerms = (fees: OtherFees) => {
  const book = factBook()
  const lines = lineBook()
  let now = 0

  const termsAt = (merchant: string, currency: string, at: number): FeeTerms => {
    const own = facts.currencyOf(merchant) ?? ''
    return termsInForce(fees.get(merchant) ?? [], currency, own, at)
  }
  const facts: Facts = {
    ...book.factsAt(0),
    ...lines.facts,
    termsOf: (merchant, currency) => [termsAt(merchant, currency, now)],
    settlementTermsOf: (merchant, at) => {
      const currencies = (fees.get(merchant) ?? []).map(({ currency }) => currency)
      const terms = currencies.map((currency) => [currency, termsAt(merchant, currency, at)])
      return [Object.fromEntries(terms) as Record<string, FeeTerms>]
    },
    // Charges depend on none of these.
    tidOf: () => '',
    ridOf: () => '',
    announcedBy: () => undefined,
    grantedBy: () => null,
  }

  return {
    /** Call with every event, after deciding it again. */
    read: (event: Recorded): void => {
      lines.read(event)
      book.read(event)
    },
    addLine: lines.add,
    /** The event as it would be with the other fees, from a state that follows them. */
    inPlaceOf: (judge: Judge, state: unknown, event: Recorded): Recorded => {
      const { type, metadata } = event
      if (!charging.includes(type) || !fees.has(metadata.merchant ?? '')) return event
      now = metadata.at
      book.factsAt(now)
      const decided = decideOtherwise(judge, state, event, facts)
      return decided ? ({ ...event, data: decided.data } as Recorded) : event
    },
  }
}
