import { operateCorrections } from '../application/corrections.ts'
import { billDebts } from '../application/invoices.ts'
import type { CorrectionProposal } from '../domain/accounting/correction.ts'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import { showsSomething } from '../domain/blanks.ts'
import { formatAmount } from '../domain/money/money.ts'
import { isDay } from '../domain/time.ts'
import { fail } from '../infrastructure/failures.ts'
import type { InvoiceRow } from '../projections/invoices.ts'
import type { Core } from '../service/core.ts'
import { presentMerchant } from './arguments.ts'
import { group, onData, required, value } from './command.ts'
import { fixedOf } from './fees.ts'

const shown = ({ id, merchant, currency, amount, open, at }: InvoiceRow) => ({
  ...{ id, merchant, currency },
  amount: formatAmount(amount, currency),
  open: formatAmount(open, currency),
  billed_at: new Date(at).toISOString(),
})

const invoiceNow = async ({ readModels, accounting }: Core, id: string): Promise<InvoiceRow> => {
  await readModels.caughtUp()
  return accounting.invoices.find(id) ?? fail(`no invoice ${id}`)
}

/** Another person approves it, as a correction. */
const propose = async (
  core: Core,
  id: string,
  about: Pick<CorrectionProposal, 'reason' | 'isWriteOff'>,
  amountOf: (invoice: InvoiceRow) => string,
  paid?: { readonly day: string; readonly entry: string },
) => {
  const row = await invoiceNow(core, id)
  const { merchant, currency } = row
  const amount = fixedOf(amountOf(row), currency)
  const invoice = { id, ...(paid && { paid }) }
  const known = core.newId().replaceAll('-', '')
  const wanted = { ...about, merchant, ledger: defaultLedger, currency, amount, invoice }
  const context = core.contextOf('operator', merchant)
  const { status } = await operateCorrections(core).propose(known, wanted, context)
  return { correction: known, invoice: id, amount: formatAmount(amount, currency), status }
}

const bill = onData({
  name: 'bill <merchant>',
  about:
    'invoice all that a merchant owes after its last settlement; the next one has it as billed',
  options: { currency: value('<code>', 'default: that of the merchant') },
  run: async (core, merchant, { currency }) => {
    const { currency: own } = await presentMerchant(core, merchant)
    await core.readModels.caughtUp()
    const { handle, accounting } = core
    const { settlements } = accounting
    const context = core.contextOf('operator', merchant)
    const id = await billDebts({ handle, settlements })(merchant, currency ?? own, context)
    return shown(await invoiceNow(core, id))
  },
})

const paid = onData({
  name: 'paid <invoice>',
  about: 'propose to book what came in at the bank for an invoice; another person approves',
  options: {
    amount: required('<amount>', 'what came in'),
    day: required('<day>', 'the booking day of the bank, YYYY-MM-DD'),
    reference: required('<text>', 'what names the payment: each counts once'),
  },
  run: async (core, id, { amount, day, reference }) => {
    if (!isDay(day)) return fail(`${day} must be a day, YYYY-MM-DD`)
    if (!showsSomething(reference)) return fail('a reference names the payment')
    const entry = reference.trim()
    return propose(core, id, { reason: entry }, () => amount, { day, entry })
  },
})

const writeOff = onData({
  name: 'write-off <invoice>',
  about: 'propose that a merchant need not pay an invoice, or a part of it',
  options: {
    amount: value('<amount>', 'default: all that is open'),
    reason: required('<text>', 'shown to the merchant'),
  },
  run: async (core, id, { amount, reason }) => {
    if (!showsSomething(reason)) return fail('a reason says why')
    const about = { reason: reason.trim(), isWriteOff: true } as const
    return propose(core, id, about, ({ open, currency }) => amount ?? formatAmount(open, currency))
  },
})

const mostShown = 1_000

const list = onData({
  name: 'list',
  about: 'list the invoices that are not paid in whole, oldest first',
  run: async (core) => {
    await core.readModels.caughtUp()
    return core.accounting.invoices.unpaid(mostShown).map(shown)
  },
})

export const invoiceCommands = group('invoice', 'invoices for what merchants owe', [
  bill,
  paid,
  writeOff,
  list,
])
