import { addUp, type MinorUnits, type Sum } from '../money/money.ts'
import type { Instant } from '../time.ts'
import { vatOn, type FeeTerms } from './fees.ts'
import { addToTotals, type Totals } from './totals.ts'

/** The settlement fee in one currency. */
export type SettlementFee = {
  readonly at: Instant
  readonly currency: string
  readonly taxcode: string
  readonly fee: MinorUnits
  readonly vat: MinorUnits
}

/** Ordered by currency. */
export const settlementFeesBy = (
  terms: Readonly<Record<string, FeeTerms>>,
  at: Instant,
): readonly SettlementFee[] =>
  Object.entries(terms)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([currency, { settlementFixed: fee, taxcode, vat }]) =>
      fee === 0
        ? []
        : [{ at, currency, taxcode, fee, vat: vatOn('settlement', fee, taxcode, vat) }],
    )

/** Adds one settlement fee for each currency that has lines. */
export const withSettlementFees = (
  totals: Totals,
  terms: Readonly<Record<string, FeeTerms>>,
): Totals => {
  const settled = new Set(totals.map(({ currency }) => currency))
  let after = totals
  for (const { currency, taxcode, fee, vat } of settlementFeesBy(terms, 0))
    if (settled.has(currency)) {
      const fees = { settlement_fee: fee, settlement_fee_vat: vat }
      after = addToTotals(after, { currency, taxcode, fees })
    }
  return after
}

/** Reads the fees back from the totals of a completed settlement. */
export const settlementFeesOf = (totals: Totals, at: Instant): readonly SettlementFee[] =>
  totals.flatMap(({ currency, taxcode, fees }) => {
    const [fee, vat] = [Number(fees.settlement_fee ?? 0), Number(fees.settlement_fee_vat ?? 0)]
    return fee === 0 ? [] : [{ at, currency, taxcode, fee, vat }]
  })

export const settlementFeesIn = (totals: Totals, currency: string): { fee: Sum; vat: Sum } => {
  const own = totals.filter((total) => total.currency === currency)
  return {
    fee: addUp(...own.map(({ fees }) => fees.settlement_fee ?? 0)),
    vat: addUp(...own.map(({ fees }) => fees.settlement_fee_vat ?? 0)),
  }
}
