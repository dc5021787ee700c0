import { operateInvoices } from '../application/invoices.ts'
import { showsSomething } from '../domain/blanks.ts'
import { formatAmount } from '../domain/money/money.ts'
import { isDay } from '../domain/time.ts'
import { fail } from '../infrastructure/failures.ts'
import type { InvoiceRow } from '../projections/invoices.ts'
import type { Core } from '../service/core.ts'
import { presentMerchant } from './arguments.ts'
import { group, onData, required, value } from './command.ts'
import { fixedOf } from './fees.ts'

const needsOf = (core: Core) => {
  const { handle, find, accounting } = core
  const { settlements, invoices } = accounting
  return { handle, find, settlements, invoices }
}

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

const ofOperator = (core: Core) => (merchant: string | null) => core.contextOf('operator', merchant)

const bill = onData({
  name: 'bill <merchant>',
  about:
    'invoice all that a merchant owes after its last settlement; the next one has it as billed',
  options: { currency: value('<code>', 'default: that of the merchant') },
  run: async (core, merchant, { currency }) => {
    const { currency: own } = await presentMerchant(core, merchant)
    await core.readModels.caughtUp()
    const { bill } = operateInvoices(needsOf(core))
    return shown(await invoiceNow(core, await bill(merchant, currency ?? own, ofOperator(core))))
  },
})

const paid = onData({
  name: 'paid <invoice>',
  about: 'book what came in at the bank for an invoice',
  options: {
    amount: required('<amount>', 'what came in'),
    day: required('<day>', 'the booking day of the bank, YYYY-MM-DD'),
    reference: required('<text>', 'what names the payment: each counts once'),
  },
  run: async (core, id, { amount, day, reference }) => {
    const { currency } = await invoiceNow(core, id)
    if (!isDay(day)) return fail(`${day} must be a day, YYYY-MM-DD`)
    if (!showsSomething(reference)) return fail('a reference names the payment')
    const sum = String(fixedOf(amount, currency))
    const paid = { amount: sum, day, entry: reference.trim() }
    await operateInvoices(needsOf(core)).pay(id, paid, ofOperator(core))
    return shown(await invoiceNow(core, id))
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
  list,
])
