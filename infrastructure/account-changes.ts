import { changeAccounts, tellOwners, type WhyWithdrawn } from '../application/change-accounts.ts'
import type { Core } from './core.ts'
import type { Messages } from './people/messages.ts'
import { staffIn } from './people/staff.ts'
import { shopsOf } from './shops.ts'

const endShown = 4

const reasons: Readonly<Record<WhyWithdrawn, string>> = {
  merchant_is_disabled: 'the merchant is disabled',
  asker_is_no_owner: 'whoever asked for it is no owner any more',
}

/** Changes settlement accounts as their merchants asked. */
export const changingAccounts = (core: Core, messages: Messages) => {
  const tell = tellOwners({ ...staffIn(core), sendMessage: messages.send })
  const { shopName } = shopsOf(core)
  return changeAccounts({
    handle: core.handle,
    find: core.find,
    rows: core.accounting.accountChanges,
    caughtUp: core.readModels.caughtUp,
    outageOf: core.outagesOf('changing the settlement account of'),
    onWithdrawn: (merchant, { payoutAccount }, why) =>
      tell(
        merchant,
        `${shopName(merchant)}: the change of the payout account to one ending in ` +
          `${payoutAccount.slice(-endShown)} is withdrawn, because ${reasons[why]}.`,
      ),
  })
}
