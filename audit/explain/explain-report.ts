import {
  numbersOfLine,
  type ListedLine,
  type MoneyLineRange,
} from '../../domain/accounting/money-line.ts'
import { ledgers } from '../../domain/aggregates.ts'
import type { Recorded } from '../../domain/events.ts'
import { addUp, formatAmount, type Sum } from '../../domain/money/money.ts'
import { streamOf } from '../../domain/stream.ts'
import { historyOf } from '../../application/find-state.ts'
import {
  entryOf,
  eventAt,
  mostEntries,
  type Entry,
  type NumberChange,
  type Story,
  type SumOfParts,
} from './story.ts'
import {
  namedNumber,
  numbersOfLines,
  numbersOfTotals,
  partsOfLines,
  streamOfLine,
} from './line-sums.ts'
import type { ExplainNeeds } from './needs.ts'

export type ReportName = {
  readonly merchant: string
  readonly ledger: string
  readonly number: number
}

/** The lines of a report: those between two closings of its ledger. */
const rangeOf = ({ rows }: ExplainNeeds, { merchant, ledger, number }: ReportName) => {
  const after = rows.report(merchant, ledger, number - 1)?.closedPosition ?? 0
  const closed = rows.report(merchant, ledger, number)
  const before = closed?.closedPosition ?? Number.MAX_SAFE_INTEGER
  const isThere = closed !== undefined || rows.openReport(merchant, ledger) === number
  return { range: { merchant, ledger, after, before } satisfies MoneyLineRange, closed, isThere }
}

/** Adds a line to the running numbers, and reports the changes. */
const withLine = (
  running: Map<string, Record<string, Sum>>,
  line: ListedLine,
): readonly NumberChange[] => {
  const { currency } = line
  const before = running.get(currency) ?? {}
  const after = { ...before }
  const changes = Object.entries(numbersOfLine(line)).flatMap(([name, more]) => {
    if (more === '0') return []
    const from = before[name] ?? '0'
    const to = addUp(from, more)
    after[name] = to
    return { name, from: formatAmount(from, currency), to: formatAmount(to, currency) }
  })
  running.set(currency, after)
  return changes
}

/** Entries of the first lines, without the notifications about their events. */
export const entriesOfLines = async (
  needs: ExplainNeeds,
  range: MoneyLineRange,
): Promise<Entry[]> => {
  const entries: Entry[] = []
  const running = new Map<string, Record<string, Sum>>()
  for (const line of await needs.rows.lines(range, mostEntries)) {
    const { currency } = line
    const event = await eventAt(needs, { stream: streamOfLine(line), position: line.position })
    const numbers = withLine(running, line)
    if (event) entries.push(await entryOf(needs, event, { currency, numbers, told: [] }))
  }
  return entries
}

export const countLines = async ({ rows }: ExplainNeeds, range: MoneyLineRange): Promise<number> =>
  (await rows.sums(range)).reduce((all, one) => all + one.count, 0)

const isOf = ({ data }: Recorded, number: number): boolean =>
  'report' in data && data.report === number

export const explainReport = async (
  needs: ExplainNeeds,
  name: ReportName,
): Promise<Story | undefined> => {
  const { merchant, ledger, number } = name
  const { range, closed, isThere } = rangeOf(needs, name)
  if (!isThere) return undefined
  const entries = await entriesOfLines(needs, range)
  const count = await countLines(needs, range)
  const more = count - entries.length
  for await (const events of historyOf(needs.store, streamOf(ledgers, `${merchant}/${ledger}`)))
    for (const event of events) if (isOf(event, number)) entries.push(await entryOf(needs, event))
  const { texts } = needs
  const { after } = range
  const holds = closed
    ? texts.reportEnded({
        after,
        before: closed.closedPosition,
        time: texts.as.time(closed.closedAt),
      })
    : texts.reportOpen({ after })
  return {
    title: texts.report({ report: number, ledger, merchant }),
    says: [holds, texts.reportLines({ count })],
    entries,
    more,
    numbers: await numbersOfLines(needs.rows, range),
  }
}

/** The lines that add up to a number of a report. */
export const sumUpReport = async (
  needs: ExplainNeeds,
  report: ReportName,
  name: string,
  currency: string,
): Promise<SumOfParts | undefined> => {
  const { range, closed, isThere } = rangeOf(needs, report)
  if (!isThere) return undefined
  const { total, ...parts } = await partsOfLines(needs, range, currency, namedNumber(name))
  const about = { name, currency, value: formatAmount(total, currency), ...parts }
  const completion = closed?.completion
  if (!completion) return { ...about, agrees: null, says: needs.texts.reportIncomplete }
  const recorded = numbersOfTotals(completion.totals).get(currency)?.[name] ?? '0'
  return {
    ...about,
    agrees: recorded === total,
    says: needs.texts.reportRecorded({ amount: needs.texts.as.amount(recorded, currency) }),
  }
}
