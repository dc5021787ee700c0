import type { Command } from 'commander'
import {
  payoutStatuses,
  type PayoutState,
  type PayoutStatus,
} from '../domain/accounting/payout-state.ts'
import { formatAmount } from '../domain/money/money.ts'
import type { SettlementRow } from '../projections/settlements.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import type { WithCore } from './with-core.ts'

const listed = 1000

const shown = (
  { merchant, settlementId }: SettlementRow,
  { currency, amount, status, day, orders, paid, returned }: PayoutState,
) => ({
  merchant,
  settlement_id: settlementId,
  ...{ currency, amount: formatAmount(amount, currency), status, payout_day: day },
  message_id: orders.at(-1)?.messageId ?? null,
  end_to_end_id: orders.at(-1)?.endToEndId ?? null,
  payout_account: orders.at(-1)?.payoutAccount ?? null,
  paid_on: paid?.on ?? null,
  returned_on: returned?.on ?? null,
  return_code: returned?.reason.code ?? null,
  return_reason: returned?.reason.text ?? null,
})

const statusOf = (text: string): PayoutStatus =>
  payoutStatuses.find((status) => status === text) ??
  fail(`${text} must be one of ${payoutStatuses.join(', ')}`)

type Options = { readonly status?: string; readonly merchant?: string }

const listPayouts = async (core: Core, { status, merchant }: Options) => {
  await core.readModels.caughtUp()
  const { settlements } = core.accounting
  const wanted = status === undefined ? payoutStatuses : [statusOf(status)]
  const rows =
    merchant === undefined
      ? payoutStatuses.flatMap((one) => settlements.withPayouts(one, listed))
      : settlements.list(merchant, Number.MAX_SAFE_INTEGER, listed)
  return rows
    .flatMap((row) => row.payouts.map((payout) => ({ row, payout })))
    .filter(({ payout }) => wanted.includes(payout.status))
    .slice(0, listed)
    .map(({ row, payout }) => shown(row, payout))
}

/** `daybook payouts`: the status of payouts (interface 10). */
export const addPayoutCommands = (program: Command, withCore: WithCore): void => {
  program
    .command('payouts')
    .description('list payouts: what needs something done first, the newest first')
    .option('--status <status>', `only those that are ${payoutStatuses.join(', ')}`)
    .option('--merchant <merchant>', 'only those of one merchant')
    .action(withCore(listPayouts))
}
