import {
  defaultAccount,
  impliedAccount,
  type SettlementAccount,
} from '../domain/accounting/settlement-account.ts'
import { merchants, settlementAccounts } from '../domain/aggregates.ts'
import { changed, type Changes } from '../domain/changes.ts'
import { refuse } from '../domain/refusal.ts'
import { within } from '../domain/stream.ts'
import type { Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'

/** Changes a merchant's settlement account, which exists even before it is set. */
export const setSettlementAccount =
  ({ handle, find }: { readonly handle: Handle; readonly find: Find }) =>
  async (
    merchant: string,
    changes: Changes<SettlementAccount>,
    context: Context,
  ): Promise<SettlementAccount> => {
    const shop = await find(merchants, merchant)
    if (shop.status !== 'present') return refuse('resource_is_unknown')
    const account = within(merchant, defaultAccount)
    const entry = await find(settlementAccounts, account)
    const implied = impliedAccount(merchant, shop.data.currency)
    const command =
      entry.status === 'present'
        ? ({ type: 'Change', changes } as const)
        : ({ type: 'Register', data: changed(implied, changes) } as const)
    const { state } = await handle(settlementAccounts, account, command, context)
    return state.status === 'present' ? state.data : refuse('resource_is_unknown')
  }
