import { refuse } from '../../domain/refusal.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import type { ReportRow } from '../../projections/reports.ts'
import type { ShownReport } from './report-reply.ts'

type Reports = {
  find(merchant: string, ledger: string, number: number): ReportRow | undefined
}

/** The open report with its sums so far, or a closed one. @throws Refusal resource_is_unknown */
export const shownReport = (reports: Reports, row: LedgerRow, number: number): ShownReport => {
  const { merchant, id: ledger, open, openedAt, counters, totals } = row
  if (number === open) {
    const sums = { counters, totals: [...totals] }
    const nothing = { closedAt: null, callbackUri: null }
    return { ledger, number, status: 'open', openedAt, ...nothing, sums }
  }
  const closed = reports.find(merchant, ledger, number) ?? refuse('resource_is_unknown')
  const { completion, closedAt, callbackUri } = closed
  const known = row.closingSums.find(({ report }) => report === number)
  const sums = completion ?? {
    counters: known?.counters ?? {},
    totals: [...(known?.totals ?? [])],
  }
  const status = completion ? 'closed' : 'closing'
  return { ledger, number, status, openedAt: closed.openedAt, closedAt, callbackUri, sums }
}
