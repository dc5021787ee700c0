import { changeAccounts, tellOwners, type OwnerWordsIn } from '../application/change-accounts.ts'
import type { Core } from './core.ts'
import type { Messages } from './people/messages.ts'
import { staffIn } from './people/staff.ts'
import { shopsOf } from './shops.ts'

const endShown = 4

/** Changes settlement accounts as their merchants asked. */
export const changingAccounts = (core: Core, messages: Messages, wordsIn: OwnerWordsIn) => {
  const tell = tellOwners({ ...staffIn(core), sendMessage: messages.send })
  const { shopName, countryOf } = shopsOf(core)
  return changeAccounts({
    handle: core.handle,
    find: core.find,
    rows: core.accounting.accountChanges,
    caughtUp: core.readModels.caughtUp,
    outageOf: core.outagesOf('changing the settlement account of'),
    onWithdrawn: (merchant, { payoutAccount }, why) =>
      tell(
        merchant,
        wordsIn(countryOf(merchant)).accountWithdrawn(
          shopName(merchant),
          payoutAccount.slice(-endShown),
          why,
        ),
      ),
  })
}
