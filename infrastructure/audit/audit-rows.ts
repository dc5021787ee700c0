import type { AuditRows } from '../../application/audit/needs.ts'
import { ledgerStream } from '../../projections/ledgers.ts'
import type { queriesOf } from '../../projections/read-models.ts'

type Queries = Pick<ReturnType<typeof queriesOf>, 'accounting' | 'audit'>

/** What auditors ask of the read models. */
export const auditRowsOf = ({ accounting, audit: { rows } }: Queries): AuditRows => {
  const { ledgers, reports, settlements } = accounting
  return {
    ...rows,
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
