import { randomBytes } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { merchants, settlements } from '../../domain/aggregates.ts'
import { StoreUnavailable } from '../../application/event-store.ts'
import { payoutDay } from '../../domain/calendar.ts'
import { Refusal } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { SettlementRow } from '../../projections/settlements.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import type { Settings } from '../settings.ts'
import { bankHolidaysOf } from '../bank-holidays.ts'
import { reasonOf } from '../system-errors.ts'
import type { OrderedPayout, Debtor } from './payout-file.ts'

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
 * Opens the file before the work, so that nothing is done if it cannot be written. Removes it if
 * writing fails.
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
    // The failure of the work matters more.
    if (!isWhole) await Promise.allSettled([handle.close(), unlink(file)])
  }
}

export const debtorOf = (settings: Settings): Debtor => {
  const { BANK_ACCOUNT: account, BANK_ACCOUNT_NAME: name, BANK_BIC: bic = null } = settings
  if (account === undefined) return fail('a payout file needs BANK_ACCOUNT, where the money is')
  return { name, account, bic }
}

/** Where the money of an ordered payout is until the bank's statement has it. */
const heldIn = 'payout_clearing' as const

/** Orders every payout that was not ordered and has an account. */
const orderPayouts = async (core: Core, messageId: string) => {
  const today = core.now()
  const holidaysOf = bankHolidaysOf(core.find)
  const orders = core.accounting.settlements.payable().map(async ({ merchant, serial, made }) => {
    const account = core.accounting.settlementAccounts.find(merchant)
    const payoutAccount = account?.payoutAccount ?? null
    if (!account || payoutAccount === null) return 'without account'
    // Banks accept no past days.
    const { day: earliest } = payoutDay(today, 0, account.timeZone, await holidaysOf(merchant))
    const wanted = made?.payoutDay ?? earliest
    const day = wanted < earliest ? earliest : wanted
    const order = { serial, messageId, payoutAccount, payoutDay: day, heldIn }
    const context = core.contextOf('operator', merchant)
    const command = { type: 'OrderPayout', ...order } as const
    const { events } = await core.handle(settlements, merchant, command, context)
    return events.length > 0 ? 'ordered' : 'ordered by another'
  })
  // Wait for all, so that a failure reports every order.
  const ends = await Promise.allSettled(orders)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  const count = (wanted: string): number =>
    ends.filter((end) => end.status === 'fulfilled' && end.value === wanted).length
  return { ordered: count('ordered'), withoutAccount: count('without account') }
}

const payoutsOf = (
  core: Core,
  rows: readonly SettlementRow[],
  messageId: string,
): OrderedPayout[] =>
  rows.flatMap(({ merchant, settlementId, payouts }) => {
    const shop = core.merchants.merchants.find(streamOf(merchants, merchant))?.data
    return payouts.flatMap(({ currency, amount, orders }) => {
      const order = orders.find((one) => one.messageId === messageId)
      if (!order) return []
      const { payoutAccount, endToEndId, day: payoutDay } = order
      const businessName = shop?.businessName ?? merchant
      const about = { merchant, businessName, settlementId, currency, amount }
      return [{ ...about, endToEndId, payoutAccount, payoutDay }]
    })
  })

const writePayouts = async (core: Core, debtor: Debtor, messageId: string, write: Write) => {
  await core.readModels.caughtUp()
  const rows = core.accounting.settlements.orderedBy(messageId)
  const payouts = payoutsOf(core, rows, messageId)
  // Loaded on demand: no other command writes XML.
  const { payoutFile } = await import('./payout-file.ts')
  await write(payoutFile(debtor, payouts, { messageId, at: core.now() }))
  return payouts.length
}

/** A bug shows its stack. */
const whyOf = (error: unknown): string => {
  const isExpected = error instanceof StoreUnavailable || error instanceof Refusal
  const text = error instanceof Error ? (isExpected ? error.message : error.stack) : undefined
  return reasonOf(error) ?? text ?? String(error)
}

const nothingOrdered = { payout_file: null, message_id: null, payouts_ordered: 0 }

export const orderIntoFile = async (core: Core, debtor: Debtor, file: string, write: Write) => {
  const messageId = `DAYBOOK-${randomBytes(8).toString('hex').toUpperCase()}`
  const howToWrite = `To write their file: settle --again ${messageId} --pain001 <new file>`
  // Print the message id first: an interrupted operator needs it to go on.
  if (core.accounting.settlements.payable().length > 0)
    process.stderr.write(`ordering payouts under message ${messageId}. ${howToWrite}\n`)
  const { ordered, withoutAccount } = await orderPayouts(core, messageId).catch((error) =>
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

/** Writes the file of an earlier message again. */
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
