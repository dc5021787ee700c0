import {
  changeAccounts,
  type OwnerWordsIn,
  notifyOwners,
} from '../../application/change-accounts.ts'
import { openAccounting } from '../accounting.ts'
import type { Core } from '../core.ts'
import type { Messages } from '../people/messages.ts'
import { staffIn } from '../people/staff.ts'
import { shopsOf } from '../portal/shops.ts'

const endShown = 4

/** Applies the account changes that merchants requested. */
const changingAccounts = (core: Core, messages: Messages, wordsIn: OwnerWordsIn) => {
  const tell = notifyOwners({ ...staffIn(core), sendMessage: messages.send })
  const { shopName, countryOf } = shopsOf(core)
  return changeAccounts({
    handle: core.handle,
    find: core.find,
    rows: core.accounting.accountChanges,
    caughtUp: core.readModels.caughtUp,
    outageOf: core.outagesOf('changing the settlement account of'),
    onWithdrawn: (merchant, { payoutAccount }, why, at) =>
      tell(
        merchant,
        wordsIn(countryOf(merchant)).accountWithdrawn(
          shopName(merchant),
          payoutAccount.slice(-endShown),
          why,
        ),
        at,
      ),
  })
}

const lease = 'merchants' as const

/** Ledgers and settlements. Reports are completed and merchants settled in the background. */
export const accountingSlice = (core: Core, messages: Messages, wordsIn: OwnerWordsIn) => {
  const { settleDue, settleNow, readLog, ...accounting } = openAccounting(core)
  return {
    settleNow,
    needs: { ...core.accounting, readLog },
    // Unfinished log files are abandoned, however long they are; the next start writes them.
    work: [
      { due: settleDue, lease },
      { due: changingAccounts(core, messages, wordsIn), lease },
      { due: accounting.closeDue, lease },
      { due: accounting.completeReports, giveUp: accounting.close, lease },
    ],
  }
}
