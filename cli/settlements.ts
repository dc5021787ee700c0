import { setSettlementAccount } from '../application/change-accounts.ts'
import { frequencies, startOfDayPattern, type Frequency } from '../domain/calendar.ts'
import { formatAmount } from '../domain/money/money.ts'
import { openAccounting } from '../service/reports-and-settlements.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { accountReader } from '../infrastructure/national-numbers.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { presentMerchant } from './arguments.ts'
import { intoNewFile, orderIntoFile, debtorOf, writeAgain } from './payouts.ts'
import { group, onData, value } from './command.ts'

const frequencyOf = (text: string): Frequency =>
  frequencies.find((frequency) => frequency === text) ??
  fail(`${text} must be one of ${frequencies.join(', ')}`)

const accountOf = ({ settings }: Core, text: string): string =>
  accountReader(settings.COUNTRY)(text) ??
  fail(`${text} is neither an IBAN as its country writes them nor a national account number`)

const delayOf = (text: string): number =>
  /^(?:[12]?\d|30)$/.test(text)
    ? Number(text)
    : fail(`${text} must be a number of weekdays from 0 to 30`)

const setAccount = onData({
  name: 'set <merchant>',
  about: 'set where, when and how often a merchant is paid',
  options: {
    payoutAccount: value('<account>', 'IBAN, or a national account number'),
    frequency: value('<frequency>', `one of ${frequencies.join(', ')}`),
    startOfDay: value('<hh:mm>', 'when settlements are due, by the clocks of the merchant'),
    payoutDelay: value('<weekdays>', 'from the settlement to the payout'),
  },
  run: async (core, id, { payoutAccount, frequency, startOfDay, payoutDelay }) => {
    await presentMerchant(core, id)
    if (startOfDay !== undefined && !startOfDayPattern.test(startOfDay))
      fail(`${startOfDay} must be a time of day as hh:mm`)
    const changes = {
      payoutAccount: payoutAccount === undefined ? undefined : accountOf(core, payoutAccount),
      frequency: frequency === undefined ? undefined : frequencyOf(frequency),
      startOfDay,
      payoutDelay: payoutDelay === undefined ? undefined : delayOf(payoutDelay),
    }
    const data = await setSettlementAccount(core)(id, changes, core.contextOf('operator', id))
    return {
      merchant: id,
      id: data.id,
      currency: data.currency,
      payout_account: data.payoutAccount,
      frequency: data.frequency,
      start_of_day: data.startOfDay,
      payout_delay: data.payoutDelay,
    }
  },
})

type SettleOptions = {
  readonly pain001?: string | undefined
  readonly again?: string | undefined
}

/** Returns what was settled, and the merchants that failed. */
const settleNow = async (core: Core, ids: readonly string[]) => {
  const accounting = openAccounting(core)
  try {
    await core.readModels.caughtUp()
    const before = new Map(
      core.accounting.settlementAccounts
        .unsettled()
        .map(({ merchant, lastSerial }) => [merchant, lastSerial]),
    )
    const failing = new Set<string>()
    const by = core.contextOf('operator')
    for (const id of ids.length === 0 ? [undefined] : ids)
      for (const merchant of await accounting.settleNow(core.now(), by, id)) failing.add(merchant)
    // The reason is in the log. The others are settled, so the failure must be visible.
    if (failing.size > 0) process.exitCode = 1
    const made = [...before].flatMap(([merchant, serial]) => {
      const row = core.accounting.settlements.find(merchant, serial + 1)
      return row?.made ? [row] : []
    })
    const settled = made.map(({ merchant, serial, settlementId, made: sums }) => ({
      merchant,
      id: String(serial),
      settlement_id: settlementId,
      payouts: (sums?.payouts ?? []).map(({ currency, payout }) => ({
        currency,
        payout: formatAmount(payout, currency),
      })),
    }))
    return { settled, ...(failing.size > 0 && { not_settled: [...failing] }) }
  } finally {
    await accounting.close()
  }
}

/** With a file, also orders every payable payout. */
export const settle = async (
  core: Core,
  settings: Settings,
  ids: readonly string[],
  { pain001: file, again }: SettleOptions,
) => {
  if (again !== undefined && file === undefined) return fail('--again needs --pain001 <file>')
  const debtor = file === undefined ? undefined : debtorOf(settings)
  await core.readModels.caughtUp()
  for (const id of ids) if (!core.accounting.settlementAccounts.find(id)) fail(`no merchant ${id}`)
  if (file === undefined || debtor === undefined) return settleNow(core, ids)
  if (again !== undefined) return writeAgain(core, debtor, { again, file })
  return intoNewFile(file, async (write) => {
    const settled = await settleNow(core, ids)
    return { ...settled, ...(await orderIntoFile(core, debtor, file, write)) }
  })
}

/** `daybook settle` and `daybook settlement-account` (interface 10 and 14). */
export const settlementCommands = [
  onData({
    name: 'settle [merchant...]',
    about: 'settle some merchants, or all, now',
    options: {
      pain001: value(
        '<file>',
        'also write a file (ISO 20022 pain.001.001.09) that orders every payout not ordered yet',
      ),
      again: value('<message-id>', 'settle nothing, write the file of that message again'),
    },
    run: (core, ids, options) => settle(core, core.settings, ids, options),
  }),
  group('settlement-account', 'where and when merchants are paid', [setAccount]),
]
