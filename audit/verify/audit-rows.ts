import type { AuditRows } from '../explain/needs.ts'
import type { MoneyLineRange, SummedLines } from '../../domain/accounting/money-line.ts'
import { ledgerStream } from '../../projections/ledgers.ts'
import type { queriesOf } from '../../projections/read-models.ts'
import { nextTurn } from '../../application/machine.ts'

type Queries = Pick<ReturnType<typeof queriesOf>, 'accounting' | 'audit'>

/** Lines read per turn of the event loop, which takes some milliseconds. */
const linesInTurn = 10_000

const sumKey = ({ merchant, currency, isOfPermission }: SummedLines): string =>
  `${merchant} ${currency} ${isOfPermission}`

const plus = (one: SummedLines | undefined, other: SummedLines): SummedLines =>
  one
    ? {
        ...one,
        count: one.count + other.count,
        amount: one.amount + other.amount,
        additionalAmount: one.additionalAmount + other.additionalAmount,
        fee: one.fee + other.fee,
        interchange: one.interchange + other.interchange,
        vat: one.vat + other.vat,
      }
    : other

/** Reads lines in parts, so that requests are answered in between. */
const linesInParts = ({ lines, sums, linesFurther }: Queries['audit']['rows'], inTurn: number) => {
  async function* partsOf(range: MoneyLineRange): AsyncGenerator<MoneyLineRange> {
    let { after } = range
    for (;;) {
      const last = linesFurther(after, inTurn)
      if (last === undefined || last >= range.before) return yield { ...range, after }
      yield { ...range, after, before: last + 1 }
      after = last
      await nextTurn()
    }
  }
  return {
    lines: async (range: MoneyLineRange, limit: number) => {
      const found = []
      for await (const part of partsOf(range)) {
        found.push(...lines(part, limit - found.length))
        if (found.length >= limit) break
      }
      return found
    },
    sums: async (range: MoneyLineRange) => {
      const all = new Map<string, SummedLines>()
      for await (const part of partsOf(range))
        for (const sum of sums(part)) all.set(sumKey(sum), plus(all.get(sumKey(sum)), sum))
      return [...all.values()]
    },
  }
}

/** The auditors' queries over the read models. */
export const auditRowsOf = (
  { accounting, audit: { rows } }: Queries,
  inTurn = linesInTurn,
): AuditRows => {
  const { ledgers, reports, settlements } = accounting
  return {
    ...rows,
    ...linesInParts(rows, inTurn),
    report: reports.find,
    openReport: (merchant, ledger) => ledgers.find(merchant, ledger)?.open,
    reportHolding: (merchant, ledger, position) => {
      const stream = ledgerStream(merchant, ledger)
      const { number, after } = reports.open(stream)
      return position > after ? number : (reports.closedAfter(stream, position) ?? number)
    },
    settlement: settlements.find,
  }
}
