import type { OwnerWordsIn } from '../../application/change-accounts.ts'
import { changingAccounts } from '../account-changes.ts'
import { openAccounting } from '../accounting.ts'
import type { Core } from '../core.ts'
import type { Messages } from '../people/messages.ts'

const lease = 'merchants' as const

/** Ledgers and settlements. Reports are completed and merchants settled beside the requests. */
export const accountingSlice = (core: Core, messages: Messages, wordsIn: OwnerWordsIn) => {
  const { settleDue, settleNow, readLog, ...accounting } = openAccounting(core)
  return {
    settleNow,
    needs: { ...core.accounting, readLog },
    // Logs under way are given up, however long they are: the next start makes them.
    work: [
      { due: settleDue, lease },
      { due: changingAccounts(core, messages, wordsIn), lease },
      { due: accounting.closeDue, lease },
      { due: accounting.completeReports, giveUp: accounting.close, lease },
    ],
  }
}
