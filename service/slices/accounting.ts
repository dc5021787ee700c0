import { changeAccounts } from '../../application/change-accounts.ts'
import { openAccounting } from '../accounting.ts'
import type { Core } from '../core.ts'

/** Applies the account changes that merchants requested. */
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
export const accountingSlice = (core: Core) => {
  const { settleDue, settleNow, readLog, ...accounting } = openAccounting(core)
  return {
    settleNow,
    needs: { ...core.accounting, readLog },
    // Unfinished log files are abandoned, however long they are; the next start writes them.
    work: [
      { due: settleDue, lease },
      { due: changingAccounts(core), lease },
      { due: accounting.closeDue, lease },
      { due: accounting.completeReports, giveUp: accounting.close, lease },
    ],
  }
}
