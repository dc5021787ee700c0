import { changeAccounts } from '../../application/change-accounts.ts'
import type { Links } from '../../http/addresses.ts'
import type { About } from '../about.ts'
import { textCell } from '../../infrastructure/transaction-logs/transaction-log.ts'
import type { Core } from '../core.ts'
import { idsNamedIn, timeZoneIn, openAccounting } from '../reports-and-settlements.ts'

const changingAccounts = (core: Core) =>
  changeAccounts({
    handle: core.handle,
    find: core.find,
    rows: core.accounting.accountChanges,
    caughtUp: core.readModels.caughtUp,
    outageOf: core.outagesOf('changing the settlement account of'),
  })

const lease = 'merchants' as const

/** Ledgers and settlements. Reports are completed and merchants settled in the background. */
export const accountingSlice = (core: Core, { names }: Pick<About, 'names'>, links: Links) => {
  const { settleDue, settleNow, closeDue, completeReports, readLog, close } = openAccounting(core)
  return {
    settleNow,
    readLog,
    needs: {
      names,
      links,
      handle: core.handle,
      find: core.find,
      newId: core.newId,
      caughtUp: core.caughtUp,
      sign: core.tokens.sign,
      isSigned: core.tokens.isSigned,
      readLog,
      ledgers: core.accounting.ledgers,
      reports: core.accounting.reports,
      settlements: core.accounting.settlements,
      settlementAccounts: core.accounting.settlementAccounts,
      settlementTaking: core.audit.rows.settlementTaking,
      transactions: core.accounting.transactions,
      transactionSums: core.accounting.transactionSums,
      idsNamed: idsNamedIn(core, core),
      timeZoneOf: timeZoneIn(core),
      textCell,
    },
    // Unfinished log files are abandoned, however long they are; the next start writes them.
    work: [
      { name: 'settle', due: settleDue, lease },
      { name: 'change_accounts', due: changingAccounts(core), lease },
      { name: 'close_reports', due: closeDue, lease },
      { name: 'complete_reports', due: completeReports, giveUp: close, lease },
    ],
  }
}

export type AccountingSlice = ReturnType<typeof accountingSlice>
