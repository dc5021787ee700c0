import {
  numbersOfLine,
  type ListedLine,
  type MoneyLine,
  type MoneyLineRange,
} from '../../domain/accounting/money-line.ts'
import { corrections, payments, permissionRequests } from '../../domain/aggregates.ts'
import { totalGross, totalNet, type Totals } from '../../domain/accounting/totals.ts'
import { addUp, formatAmount, negated, type Sum } from '../../domain/money/money.ts'
import { streamOf } from '../../domain/stream.ts'
import { potsInWords } from './payment-words.ts'
import { mostEntries, type NamedNumber, type Part } from './story.ts'
import type { AuditRows, ExplainNeeds } from './needs.ts'
import type { StoryTexts } from './story-forms.ts'

/** The stream of the event that makes the line. */
export const streamOfLine = ({ tid, action, isOfPermission }: ListedLine): string =>
  streamOf(
    isOfPermission ? permissionRequests : action === 'correction' ? corrections : payments,
    tid,
  )

const lineInWords = (line: ListedLine, { line: text, as }: StoryTexts): string => {
  const { action, subId, tid, ledger, currency } = line
  const what = subId === null ? action : `${action} ${subId}`
  return text({ what, amount: potsInWords(line, currency, as), payment: tid, ledger })
}

type NumberOf = (line: MoneyLine) => Sum

export const namedNumber =
  (name: string): NumberOf =>
  (line) =>
    numbersOfLine(line)[name] ?? '0'

/** The parts that lines add to a number; lines beyond the list are one sum. */
export const partsOfLines = async (
  { rows, texts }: Pick<ExplainNeeds, 'rows' | 'texts'>,
  range: MoneyLineRange,
  currency: string,
  numberOf: NumberOf,
) => {
  const isOurs = (line: MoneyLine): boolean => line.currency === currency
  const listed = (await rows.lines(range, mostEntries)).filter(isOurs)
  const sums = (await rows.sums(range)).filter(isOurs)
  const total = addUp(...sums.map(numberOf))
  const parts = listed.flatMap((line): Part[] => {
    const amount = numberOf(line)
    if (amount === '0') return []
    const { position, at } = line
    const says = lineInWords(line, texts)
    const stream = streamOfLine(line)
    return [{ position, stream, at, says, minor: amount, amount: formatAmount(amount, currency) }]
  })
  const count = sums.reduce((all, one) => all + one.count, 0) - listed.length
  const rest = addUp(total, negated(addUp(...listed.map(numberOf))))
  const others = { count, amount: formatAmount(rest, currency) }
  return { total, parts, ...(count > 0 && { others }) }
}

/** The numbers of recorded totals, by currency and name. */
export const numbersOfTotals = (totals: Totals): ReadonlyMap<string, Record<string, Sum>> => {
  const numbers = new Map<string, Record<string, Sum>>()
  for (const total of totals) {
    const own = numbers.get(total.currency) ?? {}
    const more = {
      amount_total: total.amount,
      additional_amount_total: total.additionalAmount,
      gross: totalGross(total),
      ...total.fees,
      net: totalNet(total),
    }
    for (const [name, sum] of Object.entries(more)) own[name] = addUp(own[name] ?? 0, sum)
    numbers.set(total.currency, own)
  }
  return numbers
}

/** The numbers of lines, as a report shows them. */
export const numbersOfLines = async (
  rows: AuditRows,
  range: MoneyLineRange,
): Promise<NamedNumber[]> => {
  const byCurrency = new Map<string, Record<string, Sum>>()
  for (const line of await rows.sums(range)) {
    const own = byCurrency.get(line.currency) ?? {}
    for (const [name, sum] of Object.entries(numbersOfLine(line)))
      own[name] = addUp(own[name] ?? 0, sum)
    byCurrency.set(line.currency, own)
  }
  return [...byCurrency].flatMap(([currency, numbers]) => namedIn(currency, numbers))
}

export const namedIn = (
  currency: string,
  numbers: Readonly<Record<string, Sum>>,
): readonly NamedNumber[] =>
  Object.entries(numbers).map(([name, sum]) => ({
    name,
    currency,
    value: formatAmount(sum, currency),
  }))
