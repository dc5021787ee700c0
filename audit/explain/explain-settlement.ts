import type { MoneyLineRange } from '../../domain/accounting/money-line.ts'
import { settlementFeesIn } from '../../domain/accounting/settlement.ts'
import type {
  DebtWrittenOff,
  Payout,
  SettlementMade,
} from '../../domain/accounting/settlement-events.ts'
import { settlements } from '../../domain/aggregates.ts'
import type { Recorded } from '../../domain/events.ts'
import { addUp, formatAmount, negated, type Sum } from '../../domain/money/money.ts'
import { streamOf } from '../../domain/stream.ts'
import { historyOf } from '../../application/find-state.ts'
import { entryOf, type NamedNumber, type Part, type Story, type SumOfParts } from './story.ts'
import { countLines, entriesOfLines } from './explain-report.ts'
import { namedIn, namedNumber, numbersOfLines, numbersOfTotals, partsOfLines } from './line-sums.ts'
import type { ExplainNeeds } from './needs.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

export type SettlementName = { readonly merchant: string; readonly serial: number }

type Made = Recorded & { readonly data: SettlementMade }

type WriteOff = Recorded & { readonly data: DebtWrittenOff }

/** The events of a settlement, its sums and the previous ones, and debts written off since. */
const eventsOf = async ({ store }: ExplainNeeds, { merchant, serial }: SettlementName) => {
  const events: Recorded[] = []
  let made: Made | undefined
  let before: Made | undefined
  const writeOffs: WriteOff[] = []
  for await (const batch of historyOf(store, streamOf(settlements, merchant)))
    for (const event of batch) {
      const { data, type } = event
      if (!('serial' in data)) continue
      if (data.serial === serial) events.push(event)
      const isOff = type === 'DebtWrittenOff' && data.invoiceId === undefined
      if (isOff && data.serial === serial - 1) writeOffs.push(event as WriteOff)
      if (type !== 'SettlementMade') continue
      if (data.serial === serial) made = event as Made
      if (data.serial === serial - 1) before = event as Made
    }
  return { events, made, before, writeOffs }
}

const rangeOf = (
  { rows }: ExplainNeeds,
  { merchant, serial }: SettlementName,
): MoneyLineRange | undefined => {
  const settlement = rows.settlement(merchant, serial)
  if (!settlement) return undefined
  const after = rows.settlement(merchant, serial - 1)?.startedPosition ?? 0
  return { merchant, ledger: null, after, before: settlement.startedPosition }
}

const debtOf = ({ unsettledFeesBefore, unsettledRefundsBefore }: Payout): Sum =>
  addUp(unsettledFeesBefore, unsettledRefundsBefore ?? 0)

const carriedOf = ({ unsettledFeesAfter, unsettledRefundsAfter }: Payout): Sum =>
  addUp(unsettledFeesAfter, unsettledRefundsAfter ?? 0)

const numbersOf = ({ data }: Made): readonly NamedNumber[] => {
  const totals = numbersOfTotals(data.totals)
  return data.payouts.flatMap((payout) =>
    namedIn(payout.currency, {
      ...totals.get(payout.currency),
      debt_before: debtOf(payout),
      payout: payout.payout,
      billed: payout.billed,
      debt_after: carriedOf(payout),
    }),
  )
}

export const explainSettlement = async (
  needs: ExplainNeeds,
  name: SettlementName,
): Promise<Story | undefined> => {
  const range = rangeOf(needs, name)
  if (!range) return undefined
  const { merchant, serial } = name
  const { events, made } = await eventsOf(needs, name)
  const entries = await entriesOfLines(needs, range)
  const count = await countLines(needs, range)
  const more = count - entries.length
  for (const event of events) entries.push(await entryOf(needs, event))
  const id = needs.rows.settlement(merchant, serial)?.settlementId ?? ''
  const { texts } = needs
  return {
    title: texts.settlement({ id, number: serial, merchant }),
    says: [
      texts.settlementLines({ count, after: range.after, before: range.before }),
      made ? texts.sumsRecorded : texts.sumsMissing,
    ],
    entries,
    more,
    numbers: made ? numbersOf(made) : await numbersOfLines(needs.rows, range),
  }
}

type Extra = { readonly event: Recorded; readonly says: string; readonly amount: Sum }

/** Numbers that start from the net of the lines. */
const ofNet: ReadonlySet<string> = new Set(['net', 'payout', 'debt_after'])

/** What a settlement adds to the numbers of its lines. */
const extrasOf = (
  made: Made,
  before: Made | undefined,
  writeOffs: readonly WriteOff[],
  name: string,
  payout: Payout,
  texts: Catalogue['story'],
): readonly Extra[] => {
  const { fee, vat } = settlementFeesIn(made.data.totals, payout.currency)
  const [ofFee, ofVat] = [texts.settlementFee, texts.settlementFeeVat]
  const off = writeOffs
    .filter(({ data }) => data.currency === payout.currency)
    .map((event) => {
      const { fees, refunds } = event.data
      return { event, says: texts.debtForgiven, amount: addUp(fees, refunds) }
    })
  const owed = addUp(debtOf(payout), ...off.map(({ amount }) => negated(amount)))
  const debt = [{ event: before ?? made, says: texts.debtBefore, amount: owed }, ...off]
  const costs = [
    { event: made, says: ofFee, amount: negated(fee) },
    { event: made, says: ofVat, amount: negated(vat) },
  ]
  const billed = { event: made, says: texts.billed, amount: payout.billed }
  const takenOver = {
    event: made,
    says: texts.debtTakenOver,
    amount: negated(carriedOf(payout)),
  }
  const paid = { event: made, says: texts.payout, amount: negated(payout.payout) }
  const extras: Readonly<Record<string, readonly Extra[]>> = {
    net: costs,
    payout: [...costs, ...debt, billed, takenOver],
    billed: [billed],
    debt_before: debt,
    debt_after: [...costs, ...debt, billed, paid],
    settlement_fee: [{ event: made, says: ofFee, amount: fee }],
    settlement_fee_vat: [{ event: made, says: ofVat, amount: vat }],
  }
  return (extras[name] ?? []).filter(({ amount }) => amount !== '0')
}

const recordedAs = ({ data }: Made, name: string, payout: Payout): Sum => {
  if (name === 'payout') return payout.payout
  if (name === 'billed') return payout.billed
  if (name === 'debt_before') return debtOf(payout)
  if (name === 'debt_after') return carriedOf(payout)
  return numbersOfTotals(data.totals).get(payout.currency)?.[name] ?? '0'
}

/** The events that add up to a number of a settlement. */
export const sumUpSettlement = async (
  needs: ExplainNeeds,
  settlement: SettlementName,
  name: string,
  currency: string,
): Promise<SumOfParts | undefined> => {
  const range = rangeOf(needs, settlement)
  if (!range) return undefined
  const numberOf = namedNumber(ofNet.has(name) ? 'net' : name)
  const { total, parts, ...others } = await partsOfLines(needs, range, currency, numberOf)
  const { made, before, writeOffs } = await eventsOf(needs, settlement)
  const payout = made?.data.payouts.find((one) => one.currency === currency)
  if (!made || !payout) {
    const value = formatAmount(total, currency)
    const says = needs.texts.sumsMissing
    return { name, currency, value, parts, ...others, agrees: null, says }
  }
  const extras = extrasOf(made, before, writeOffs, name, payout, needs.texts)
  const sum = addUp(total, ...extras.map(({ amount }) => amount))
  const recorded = recordedAs(made, name, payout)
  const more = extras.map(({ event, says, amount }): Part => {
    const { position, stream, metadata } = event
    const text = formatAmount(amount, currency)
    return { position, stream, at: metadata.at, says, minor: amount, amount: text }
  })
  return {
    name,
    currency,
    value: formatAmount(sum, currency),
    parts: [...parts, ...more],
    ...others,
    agrees: recorded === sum,
    says: needs.texts.settlementRecorded({ amount: needs.texts.as.amount(recorded, currency) }),
  }
}
