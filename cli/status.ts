import { isToOrder } from '../domain/accounting/payout-state.ts'
import { formatAmount } from '../domain/money/money.ts'
import type { Core } from '../service/core.ts'

/** An imbalance makes the command fail, so that it is noticed. */
export const accountingStatus = ({ accounting }: Core) => {
  const { journal, reports, settlements, bankEntries } = accounting
  const toOrder = settlements.payable().flatMap(({ payouts }) => payouts.filter(isToOrder))
  const trialBalance = journal.trialBalance()
  const isBalanced = trialBalance.every(({ imbalance }) => imbalance === '0')
  if (!isBalanced) process.exitCode = 1
  return {
    journal_balanced: isBalanced,
    trial_balance: trialBalance.map(({ currency, balances, imbalance }) => ({
      currency,
      ...Object.fromEntries(
        Object.entries(balances).map(([name, sum]) => [name, formatAmount(sum, currency)]),
      ),
      imbalance: formatAmount(imbalance, currency),
    })),
    reports_closing: reports.closingCount(),
    settlements_unfinished: settlements.unfinishedCount(),
    payouts_to_order: toOrder.length,
    bank_debits_unexplained: bankEntries.openDebits(),
  }
}
