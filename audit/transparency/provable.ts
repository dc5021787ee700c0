import type { ReportRow } from '../../projections/reports.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import type { makeReceipts, Receipt } from './receipts.ts'

/** Something that a receipt proves; `kept` is the size of a checkpoint that somebody has. */
export type Provable = {
  readonly about: Readonly<Record<string, string | number>>
  readonly make: (kept: number | undefined) => Promise<Receipt>
}

type Needs = {
  readonly receipts: ReturnType<typeof makeReceipts>
  readonly reports: {
    find(merchant: string, ledger: string, number: number): ReportRow | undefined
  }
  readonly settlements: { find(merchant: string, serial: number): SettlementRow | undefined }
}

/** What receipts prove; undefined for what is not closed or settled so far. */
export const provables = ({ receipts, reports, settlements }: Needs) => ({
  payment: (tid: string): Provable => ({
    about: { payment: tid },
    make: (kept) => receipts.ofPayment(tid, kept),
  }),

  report: (merchant: string, ledger: string, number: number): Provable | undefined => {
    const row = reports.find(merchant, ledger, number)
    if (!row?.completion) return undefined
    const after = reports.find(merchant, ledger, number - 1)?.closedPosition ?? 0
    const cuts = { after, before: row.closedPosition }
    const { logRange } = row.completion
    return {
      about: { ledger, report: number },
      make: (kept) => receipts.ofReport({ merchant, ledger, number, cuts, logRange }, kept),
    }
  },

  settlement: (merchant: string, serial: number): Provable | undefined => {
    const row = settlements.find(merchant, serial)
    if (!row?.made) return undefined
    const after = settlements.find(merchant, serial - 1)?.startedPosition ?? 0
    const cuts = { after, before: row.startedPosition }
    const { logRange } = row.made
    return {
      about: { settlement: serial },
      make: (kept) => receipts.ofSettlement({ merchant, serial, cuts, logRange }, kept),
    }
  },
})
