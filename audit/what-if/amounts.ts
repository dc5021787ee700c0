import type { Charge } from '../../domain/accounting/charge.ts'
import { addUp, type Sum } from '../../domain/money/money.ts'
import type { Totals } from '../../domain/accounting/totals.ts'
import type { TransactionLine } from '../../domain/accounting/transaction-line.ts'
import type { Recorded } from '../../domain/events.ts'

/** The charge or payout of an event, in minor units. */
export type Amount = {
  readonly amount: string
  readonly currency: string
  readonly value: Sum
  readonly isCharge: boolean
}

const charges = ['fee', 'interchange', 'vat'] as const satisfies readonly (keyof Charge)[]

const ofSettlement = ['settlement_fee', 'settlement_fee_vat'] as const

const feeIn = (totals: Totals, currency: string, name: (typeof ofSettlement)[number]): Sum =>
  addUp(...totals.map((one) => (one.currency === currency ? (one.fees[name] ?? 0) : 0)))

/** The amounts that depend on fees: those of a line, or of a settlement. */
export const amountsIn = (
  event: Recorded,
  line: TransactionLine | undefined,
): readonly Amount[] => {
  if (event.type === 'SettlementMade') {
    const { payouts, totals } = event.data
    return payouts.flatMap(({ currency, payout, unsettledFeesAfter: unpaid }) => [
      ...ofSettlement.map((amount) => {
        return { amount, currency, value: feeIn(totals, currency, amount), isCharge: true }
      }),
      { amount: 'payout', currency, value: payout, isCharge: false },
      { amount: 'fees left to pay', currency, value: unpaid, isCharge: false },
    ])
  }
  if (!line?.charge) return []
  const { charge, currency } = line
  return charges.map((amount) => {
    return { amount, currency, value: String(charge[amount]), isCharge: true }
  })
}
