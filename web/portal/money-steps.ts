import type { Payout } from '../../domain/accounting/settlement-events.ts'
import { feeTypes, type Totals } from '../../domain/accounting/totals.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { addUp, negated, type Sum } from '../../domain/money/money.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { sumText } from './money-parts.ts'
import type { PortalVisitor } from './page.ts'
import type { Step } from './waterfall.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

type Part = { readonly name: string; readonly sum: Sum; readonly kind: Step['kind'] }

/** What was captured and what was refunded, of the lines that a settlement took. */
export const turnoverOf = (
  { settledTurnover }: Pick<MoneyNeeds, 'settledTurnover'>,
  { merchant, serial }: SettlementRow,
  currency: string,
): { readonly captured: Sum; readonly refunded: Sum } => {
  const sumOf = settledTurnover.of(merchant, serial)
  return { captured: sumOf(currency, 'capture'), refunded: sumOf(currency, 'refund') }
}

const feesIn = (totals: Totals, currency: string, texts: Catalogue['money']): Part[] =>
  feeTypes.map((type) => ({
    name: texts[`fee_${type}`],
    kind: 'change',
    sum: negated(
      addUp(
        ...totals.filter((one) => one.currency === currency).map(({ fees }) => fees[type] ?? 0),
      ),
    ),
  }))

/** What is owed after a settlement, above zero. */
export const debtAfter = (
  payout: Pick<Payout, 'unsettledFeesAfter' | 'unsettledRefundsAfter'>,
): Sum => negated(addUp(payout.unsettledFeesAfter, payout.unsettledRefundsAfter ?? 0))

/** From what was captured to what is paid out; parts that are nothing are left out. */
export const payoutParts = (
  turnover: { readonly captured: Sum; readonly refunded: Sum },
  totals: Totals,
  payout: Payout,
  texts: Catalogue['money'],
): readonly Part[] => {
  const before = addUp(payout.unsettledFeesBefore, payout.unsettledRefundsBefore ?? 0)
  const changes: Part[] = [
    { name: texts.refunds, sum: turnover.refunded, kind: 'change' },
    ...feesIn(totals, payout.currency, texts),
    { name: texts.debtBefore, sum: before, kind: 'change' },
    { name: texts.carried, sum: debtAfter(payout), kind: 'change' },
  ]
  return [
    { name: texts.turnover, sum: turnover.captured, kind: 'total' },
    ...changes.filter(({ sum }) => sum !== '0'),
    { name: texts.payout, sum: payout.payout, kind: 'total' },
  ]
}

export const stepsOf = (
  parts: readonly Part[],
  currency: string,
  visitor: PortalVisitor,
): readonly Step[] =>
  parts.map(({ name, sum, kind }) => ({
    ...{ name, kind, value: Number(sum) / 10 ** decimalsOf(currency) },
    shown: sumText(sum, currency, visitor),
  }))

/** The same numbers for a sheet of a workbook. */
export const rowsOf = (parts: readonly Part[], currency: string, visitor: PortalVisitor) => [
  [textsIn[visitor.language].money.description, currency],
  ...parts.map(({ name, sum }) => [name, Number(sum) / 10 ** decimalsOf(currency)]),
]
