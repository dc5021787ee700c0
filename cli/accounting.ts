import type { Command } from 'commander'
import type { Settings } from '../infrastructure/settings.ts'
import { addBankCommands } from './bank.ts'
import { addFeeCommands } from './fees.ts'
import { addHolidayCommands } from './holidays.ts'
import { addPayoutCommands } from './payout-list.ts'
import { addSettlementCommands } from './settlements.ts'
import { addTaxcodeCommands } from './taxcodes.ts'
import type { WithCore } from './with-core.ts'

/** The operator's commands for fees, settlements and payouts. */
export const addAccountingCommands = (
  program: Command,
  settings: Settings,
  withCore: WithCore,
): void => {
  addFeeCommands(program, withCore)
  addTaxcodeCommands(program, withCore)
  addHolidayCommands(program, withCore)
  addSettlementCommands(program, settings, withCore)
  addPayoutCommands(program, withCore)
  addBankCommands(program, settings, withCore)
}
