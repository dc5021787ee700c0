import { operateCorrections, owedBy } from '../application/corrections.ts'
import { operateDisputes, requestedPayment, type KnownDispute } from '../application/disputes.ts'
import { billDebts } from '../application/invoices.ts'
import {
  isOfDebt,
  longestReason,
  type CorrectionProposal,
  type KnownCorrection,
} from '../domain/accounting/correction.ts'
import { grossOf } from '../domain/accounting/fees.ts'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import { showsSomething } from '../domain/blanks.ts'
import { isCurrency } from '../domain/money/currency.ts'
import { formatAmount, parseSignedAmount } from '../domain/money/money.ts'
import { longestReason as longestDispute } from '../domain/payment/dispute.ts'
import { isDay } from '../domain/time.ts'
import { fail } from '../infrastructure/failures.ts'
import type { InvoiceRow } from '../projections/invoices.ts'
import type { Core } from '../service/core.ts'
import { instantOf, presentMerchant } from './arguments.ts'
import { flag, group, onData, onRows, preset, required, value } from './command.ts'
import { fixedOf } from './fees.ts'

const mostListed = 1_000

const ofOperator = (core: Core) => (merchant: string | null) => core.contextOf('operator', merchant)

const reasonOf = (text: string, longest: number): string => {
  const reason = text.trim()
  return showsSomething(reason) && reason.length <= longest
    ? reason
    : fail(`a reason has 1 to ${longest} characters`)
}

const printedDispute = ({ id, tid, currency, dispute }: KnownDispute) => ({
  id,
  tid,
  amount: formatAmount(grossOf(dispute), currency),
  currency,
  fee: formatAmount(dispute.charge.fee, currency),
  reason: dispute.reason,
  state: dispute.state,
  due: new Date(dispute.due).toISOString(),
  evidence: dispute.evidence.length,
})

const openDispute = onData({
  name: 'open <tid>',
  about: 'take a captured amount from the ledger of a payment until the dispute is won',
  options: {
    amount: value('<amount>', 'of captures; default: all that is neither refunded nor disputed'),
    reason: required('<text>', 'shown to the merchant'),
    due: required('<date>', 'until when evidence is taken, YYYY-MM-DD in UTC, or with hh:mm:ss'),
    fee: preset('<amount>', 'what the dispute costs the merchant, without VAT', '0'),
  },
  run: async (core, tid, { amount, reason, due, fee }) => {
    const { request } = await requestedPayment(core.find, tid)
    const text = reasonOf(reason, longestDispute)
    const minor = (sum: string) => fixedOf(sum, request.currency)
    const gross = amount === undefined ? null : minor(amount)
    const dispute = { gross, fee: minor(fee), reason: text, due: instantOf(due) }
    return printedDispute(await operateDisputes(core).openDispute(tid, dispute, ofOperator(core)))
  },
})

const closeDispute = (outcome: 'won' | 'lost', about: string) =>
  onData({
    name: `${outcome} <dispute>` as '<dispute>',
    about,
    run: async (core, id) =>
      printedDispute(await operateDisputes(core).closeDispute(id, outcome, ofOperator(core))),
  })

const listDisputes = onRows({
  name: 'list',
  about: 'list the open disputes of all merchants, the next deadline first',
  run: ({ payments }) => payments.disputes.open(mostListed).map(printedDispute),
})

export const disputeCommands = group('dispute', 'captures that payers dispute', [
  openDispute,
  closeDispute('won', 'give the amount back to the merchant; the fee stays'),
  closeDispute('lost', 'close the dispute; the amount stays with the payer'),
  listDisputes,
])

const printedCorrection = (id: string, { amount, currency, ...correction }: KnownCorrection) => ({
  id,
  merchant: correction.merchant,
  ...(correction.isWriteOff && { writes_off: true }),
  ...(correction.invoice && { invoice: correction.invoice.id }),
  ...(!isOfDebt(correction) && { ledger: correction.ledger }),
  amount: formatAmount(amount, currency),
  currency,
  reason: correction.reason,
  status: correction.status,
  proposed_by: correction.by,
  decided_by: correction.decidedBy,
})

const propose = onData({
  name: 'propose <merchant>',
  about: 'propose to give a merchant an amount, or to take it; another person decides',
  options: {
    amount: required('<amount>', 'below zero to take it: --amount=-12.50'),
    reason: required('<text>', 'shown to the merchant'),
    currency: value('<code>', 'default: that of the merchant'),
    ledger: preset('<ledger>', 'which gets the line', defaultLedger),
    writeOff: flag('write off what the merchant owes from earlier settlements: it is no line'),
    id: value('<id>', 'repeating it proposes nothing again; default: a new one'),
  },
  run: async (core, merchant, { amount, reason, currency: code, ledger, writeOff, id }) => {
    const { currency: own } = await presentMerchant(core, merchant)
    const currency = code ?? own
    if (!isCurrency(currency)) fail(`${currency} must be a currency such as NOK`)
    if (id !== undefined && !/^[\w-]{1,35}$/.test(id)) fail('an id has 1 to 35 letters or digits')
    const about = { merchant, ledger, currency, reason: reasonOf(reason, longestReason) }
    const proposal = { ...about, amount: fixedOf(amount, currency, parseSignedAmount) }
    const known = id ?? core.newId().replaceAll('-', '')
    const context = core.contextOf('operator', merchant)
    const { propose } = operateCorrections(core)
    return printedCorrection(
      known,
      await propose(known, { ...proposal, ...(writeOff && { isWriteOff: true }) }, context),
    )
  },
})

const decide = (way: 'approve' | 'reject', about: string) =>
  onData({
    name: `${way} <correction>` as '<correction>',
    about,
    run: async (core, id) => {
      const { approve, turnDown } = operateCorrections(core)
      return printedCorrection(
        id,
        await (way === 'approve' ? approve : turnDown)(id, ofOperator(core)),
      )
    },
  })

const listCorrections = onRows({
  name: 'list',
  about: 'list the corrections that wait for a second person, oldest first',
  run: ({ accounting }) =>
    accounting.corrections
      .proposed(mostListed)
      .map(({ id, correction }) => printedCorrection(id, correction)),
})

const debts = onRows({
  name: 'debts',
  about: 'list what merchants owe from earlier settlements',
  run: ({ accounting }) =>
    owedBy(accounting.journal).map(({ merchant, currency, owed }) => ({
      merchant,
      currency,
      owed: formatAmount(owed, currency),
    })),
})

export const correctionCommands = group('correction', 'corrections under four eyes', [
  propose,
  decide('approve', 'approve what somebody else has proposed'),
  decide('reject', 'turn down what was proposed'),
  listCorrections,
  debts,
])

const printedInvoice = ({ id, merchant, currency, amount, open, at }: InvoiceRow) => ({
  id,
  merchant,
  currency,
  amount: formatAmount(amount, currency),
  open: formatAmount(open, currency),
  billed_at: new Date(at).toISOString(),
})

const invoiceNow = async ({ readModels, accounting }: Core, id: string): Promise<InvoiceRow> => {
  await readModels.caughtUp()
  return accounting.invoices.find(id) ?? fail(`no invoice ${id}`)
}

/** Another person approves it, as a correction. */
const proposeFor = async (
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
  const proposal = { ...about, merchant, ledger: defaultLedger, currency, amount, invoice }
  const context = core.contextOf('operator', merchant)
  const { status } = await operateCorrections(core).propose(known, proposal, context)
  return { correction: known, invoice: id, amount: formatAmount(amount, currency), status }
}

const bill = onRows({
  name: 'bill <merchant>',
  about:
    'invoice all that a merchant owes after its last settlement; the next one has it as billed',
  options: { currency: value('<code>', 'default: that of the merchant') },
  run: async (core, merchant, { currency }) => {
    const { currency: own } = await presentMerchant(core, merchant)
    const { handle, accounting } = core
    const { settlements } = accounting
    const context = core.contextOf('operator', merchant)
    const id = await billDebts({ handle, settlements })(merchant, currency ?? own, context)
    return printedInvoice(await invoiceNow(core, id))
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
    return proposeFor(core, id, { reason: entry }, () => amount, { day, entry })
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
    return proposeFor(
      core,
      id,
      about,
      ({ open, currency }) => amount ?? formatAmount(open, currency),
    )
  },
})

const listInvoices = onRows({
  name: 'list',
  about: 'list the invoices that are not paid in whole, oldest first',
  run: ({ accounting }) => accounting.invoices.unpaid(mostListed).map(printedInvoice),
})

export const invoiceCommands = group('invoice', 'invoices for what merchants owe', [
  bill,
  paid,
  writeOff,
  listInvoices,
])
