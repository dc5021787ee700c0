import { open, unlink, type FileHandle } from 'node:fs/promises'
import { StoreUnavailable } from '../application/event-store.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import {
  debtorIn,
  newMessageId,
  orderDue,
  paymentMessage,
  returnedIn,
} from '../service/payment-message.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'
import type { Debtor } from '../infrastructure/bank/payout-file.ts'
import {
  payoutStatuses,
  type PayoutState,
  type PayoutStatus,
} from '../domain/accounting/payout-state.ts'
import { formatAmount } from '../domain/money/money.ts'
import type { SettlementRow } from '../projections/settlements.ts'
import { bankReason } from '../texts/bank-reason.ts'
import { onData, onRows, required, value } from './command.ts'

const listed = 1000

const printed = (
  { merchant, settlementId }: SettlementRow,
  { currency, amount, status, day, orders, paid, returned }: PayoutState,
) => ({
  merchant,
  settlement_id: settlementId,
  currency,
  amount: formatAmount(amount, currency),
  status,
  payout_day: day,
  message_id: orders.at(-1)?.messageId ?? null,
  end_to_end_id: orders.at(-1)?.endToEndId ?? null,
  payout_account: orders.at(-1)?.payoutAccount ?? null,
  paid_on: paid?.on ?? null,
  returned_on: returned?.on ?? null,
  return_code: returned?.reason.code ?? null,
  return_reason: returned?.reason.text ?? null,
  return_in_words: returned ? bankReason('en', returned.reason) || null : null,
})

const statusOf = (text: string): PayoutStatus =>
  payoutStatuses.find((status) => status === text) ??
  fail(`${text} must be one of ${payoutStatuses.join(', ')}`)

/** `daybook payouts`: the status of payouts (interface 10). */
export const payoutsCommand = onRows({
  name: 'payouts',
  about: 'list payouts: what needs something done first, the newest first',
  options: {
    status: value('<status>', `only those that are ${payoutStatuses.join(', ')}`),
    merchant: value('<merchant>', 'only those of one merchant'),
  },
  run: (core, { status, merchant }) => {
    const { settlements } = core.accounting
    const statuses = status === undefined ? payoutStatuses : [statusOf(status)]
    const rows =
      merchant === undefined
        ? payoutStatuses.flatMap((one) => settlements.withPayouts(one, listed))
        : settlements.list(merchant, Number.MAX_SAFE_INTEGER, listed)
    return rows
      .flatMap((row) => row.payouts.map((payout) => ({ row, payout })))
      .filter(({ payout }) => statuses.includes(payout.status))
      .slice(0, listed)
      .map(({ row, payout }) => printed(row, payout))
  },
})

type Write = (text: string) => Promise<void>

const openNew = async (file: string): Promise<FileHandle> => {
  try {
    return await open(file, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      return fail(`${file} is there already, and no payout file is written over another file`)
    return fail(`${file} cannot be written: ${reasonOf(error) ?? String(error)}`)
  }
}

/**
 * Opens the file before the work, so that nothing is done if it cannot be written. Removes the file
 * on failure.
 */
export const intoNewFile = async <Answer>(
  file: string,
  work: (write: Write) => Promise<Answer>,
): Promise<Answer> => {
  const handle = await openNew(file)
  let isWhole = false
  const write: Write = async (text) => {
    await handle.writeFile(text)
    await handle.sync()
    await handle.close()
    isWhole = true
  }
  try {
    return await work(write)
  } finally {
    // The original failure matters more.
    if (!isWhole) await Promise.allSettled([handle.close(), unlink(file)])
  }
}

export const debtorOf = (settings: Settings): Debtor =>
  debtorIn(settings) ?? fail('a payout file needs BANK_ACCOUNT, where the money is')

const writePayouts = async (core: Core, debtor: Debtor, messageId: string, write: Write) => {
  const { text, count } = await paymentMessage(core, debtor, messageId)
  await write(text)
  return count
}

/** A bug includes its stack. */
const whyOf = (error: unknown): string => {
  const isExpected = error instanceof StoreUnavailable || error instanceof Refusal
  const text = error instanceof Error ? (isExpected ? error.message : error.stack) : undefined
  return reasonOf(error) ?? text ?? String(error)
}

const nothingOrdered = { payout_file: null, message_id: null, payouts_ordered: 0 }

/** Orders all that can be ordered, or what came back of one settlement. */
export const orderIntoFile = async (
  core: Core,
  debtor: Debtor,
  file: string,
  write: Write,
  only?: SettlementRow,
) => {
  const messageId = newMessageId()
  const howToWrite = `To write their file: settle --again ${messageId} --pain001 <new file>`
  // Print the message id first: after an interruption the operator needs it to continue.
  if (only || core.accounting.settlements.payable().length > 0)
    process.stderr.write(`ordering payouts under message ${messageId}. ${howToWrite}\n`)
  const contextOf = (merchant: string) => core.contextOf('operator', merchant)
  const ordering = orderDue(core, messageId, contextOf, only)
  const { ordered, withoutAccount } = await ordering.catch((error) =>
    fail(
      `not every payout could be ordered: ${whyOf(error)}\n` +
        `Those that could are ordered under message ${messageId}. ${howToWrite}`,
    ),
  )
  const waiting = { payouts_waiting_for_an_account: withoutAccount }
  if (ordered === 0) return { ...nothingOrdered, ...waiting }
  const count = await writePayouts(core, debtor, messageId, write).catch((error) =>
    fail(
      `the payouts are ordered under message ${messageId}, but ${file} could not be written: ` +
        `${whyOf(error)}\n${howToWrite}`,
    ),
  )
  return { payout_file: file, message_id: messageId, payouts_ordered: count, ...waiting }
}

export const writeAgain = async (
  core: Core,
  debtor: Debtor,
  { again: messageId, file }: { readonly again: string; readonly file: string },
) => {
  await core.readModels.caughtUp()
  if (core.accounting.settlements.orderedBy(messageId).length === 0)
    return fail(`there is no message ${messageId} that ordered payouts`)
  return intoNewFile(file, async (write) => {
    const count = await writePayouts(core, debtor, messageId, write).catch((error) =>
      fail(`${file} could not be written: ${whyOf(error)}`),
    )
    const answer = { payout_file: file, message_id: messageId, payouts_ordered: count }
    return { settled: [], ...answer, payouts_waiting_for_an_account: 0 }
  })
}

/** `daybook payout-retry`: the file of one settlement, whose payouts came back. */
export const retryCommand = onData({
  name: 'payout-retry <settlement>',
  about: 'order what came back of one settlement again, to the account that the merchant has now',
  argument: 'its id as payouts lists it',
  options: { pain001: required('<file>', 'a new file (ISO 20022 pain.001.001.09) for the bank') },
  run: async (core, settlement, { pain001: file }) => {
    const debtor = debtorOf(core.settings)
    await core.readModels.caughtUp()
    const only = returnedIn(core, settlement)
    return intoNewFile(file, (write) => orderIntoFile(core, debtor, file, write, only))
  },
})
