import { addUp, negated, type Sum } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import type { SettlementEvent } from './settlement-events.ts'

/**
 * A merchant's debt in one currency, zero or below: for fees, and for refunds that captures did not
 * cover.
 */
export type Debt = { readonly fees: Sum; readonly refunds: Sum }

export const noDebt: Debt = { fees: '0', refunds: '0' }

/** Parts of a debt that are billed, above zero. */
type Billed = Debt & { readonly invoiceId: string }

type Invoice = {
  readonly serial: number
  readonly currency: string
  readonly open: Sum
  /** The bank's entries that paid it. */
  readonly entries: readonly string[]
}

export type Debts = {
  /** By currency: what the next settlement takes first. */
  readonly owed: Readonly<Record<string, Debt>>
  /** By currency: what was billed since the last settlement. */
  readonly billed: Readonly<Record<string, Billed>>
  readonly invoices: Readonly<Record<string, Invoice>>
  /** Ids of corrections by which debts were written off. */
  readonly writtenOff: readonly string[]
}

export const noDebts: Debts = { owed: {}, billed: {}, invoices: {}, writtenOff: [] }

export type DebtCommand =
  | {
      readonly type: 'WriteOffDebt'
      readonly correction: string
      readonly currency: string
      /** Above zero. */
      readonly amount: Sum
      readonly reason: string
      /** Of an invoice, instead of what is not invoiced. */
      readonly invoiceId?: string | undefined
    }
  | { readonly type: 'BillDebt'; readonly currency: string; readonly invoiceId: string }
  | {
      readonly type: 'PayInvoice'
      readonly invoiceId: string
      readonly amount: Sum
      readonly day: string
      readonly entry: string
    }

type DebtEvent = Extract<SettlementEvent, { type: DebtEventType }>

const types = ['DebtWrittenOff', 'DebtBilled', 'InvoicePaid'] as const
type DebtEventType = (typeof types)[number]

type CommandOf<Type extends DebtCommand['type']> = Extract<DebtCommand, { type: Type }>

export const isOwed = (sum: Sum): boolean => sum.startsWith('-')

/** Fees first, then refunds. */
const decideWriteOff = (
  { correction, currency, amount, reason, invoiceId }: CommandOf<'WriteOffDebt'>,
  { owed, writtenOff, invoices }: Debts,
  serial: number,
): readonly DebtEvent[] => {
  if (writtenOff.includes(correction)) return []
  if (invoiceId !== undefined) {
    const { open } = invoices[invoiceId] ?? refuse('resource_is_unknown')
    if (isOwed(addUp(open, negated(amount)))) return refuse('payment_exceeds_invoice')
    const data = { serial, currency, fees: amount, refunds: '0', reason, correction, invoiceId }
    return [{ type: 'DebtWrittenOff', data }]
  }
  const debt = owed[currency] ?? noDebt
  if (!isOwed(addUp(debt.fees, debt.refunds, amount, -1))) return refuse('write_off_exceeds_debt')
  const beyondFees = addUp(debt.fees, amount)
  const refunds = isOwed(beyondFees) ? '0' : beyondFees
  const parts = { fees: addUp(amount, negated(refunds)), refunds }
  return [{ type: 'DebtWrittenOff', data: { serial, currency, ...parts, reason, correction } }]
}

const decideBill = (
  { currency, invoiceId }: CommandOf<'BillDebt'>,
  { owed, invoices }: Debts,
  serial: number,
): readonly DebtEvent[] => {
  if (invoices[invoiceId]) return []
  const { fees, refunds } = owed[currency] ?? noDebt
  if (addUp(fees, refunds) === '0') return refuse('nothing_is_owed')
  const parts = { fees: negated(fees), refunds: negated(refunds) }
  return [{ type: 'DebtBilled', data: { serial, currency, ...parts, invoiceId } }]
}

const decidePayment = (
  { invoiceId, amount, day, entry }: CommandOf<'PayInvoice'>,
  { invoices }: Debts,
): readonly DebtEvent[] => {
  const { serial, currency, open, entries } = invoices[invoiceId] ?? refuse('resource_is_unknown')
  if (entries.includes(entry)) return []
  if (isOwed(addUp(open, negated(amount)))) return refuse('payment_exceeds_invoice')
  return [{ type: 'InvoicePaid', data: { serial, currency, invoiceId, amount, day, entry } }]
}

/** `serial`: the last settlement. */
export const decideDebt = (
  command: DebtCommand,
  debts: Debts,
  serial: number,
): readonly DebtEvent[] => {
  switch (command.type) {
    case 'WriteOffDebt':
      return decideWriteOff(command, debts, serial)
    case 'BillDebt':
      return decideBill(command, debts, serial)
    case 'PayInvoice':
      return decidePayment(command, debts)
  }
}

/** An invoice of which less is open. */
const withoutOpen = (debts: Debts, id: string, amount: Sum, ...entry: string[]): Debts => {
  const invoice = debts.invoices[id]
  if (!invoice) return debts
  const open = addUp(invoice.open, negated(amount))
  const left = { ...invoice, open, entries: [...invoice.entries, ...entry] }
  return { ...debts, invoices: { ...debts.invoices, [id]: left } }
}

export const evolveDebts = (debts: Debts, { type, data }: DebtEvent): Debts => {
  const { currency, serial } = data
  if (type === 'InvoicePaid') return withoutOpen(debts, data.invoiceId, data.amount, data.entry)
  const { fees, refunds } = data
  if (type === 'DebtWrittenOff' && data.invoiceId !== undefined) {
    const writtenOff = [...debts.writtenOff, data.correction]
    return withoutOpen({ ...debts, writtenOff }, data.invoiceId, fees)
  }
  const before = debts.owed[currency] ?? noDebt
  const after = { fees: addUp(before.fees, fees), refunds: addUp(before.refunds, refunds) }
  const owed = { ...debts.owed, [currency]: after }
  if (type === 'DebtWrittenOff')
    return { ...debts, owed, writtenOff: [...debts.writtenOff, data.correction] }
  const { invoiceId } = data
  const invoice = { serial, currency, open: addUp(fees, refunds), entries: [] }
  const billed = { ...debts.billed, [currency]: { fees, refunds, invoiceId } }
  return { ...debts, owed, billed, invoices: { ...debts.invoices, [invoiceId]: invoice } }
}

/** A settlement has told of what was billed, and leaves these debts. */
export const settledDebts = (debts: Debts, left: Debts['owed']): Debts => {
  const billed = Object.entries(debts.billed).filter(([currency]) => !(currency in left))
  return { ...debts, owed: { ...debts.owed, ...left }, billed: Object.fromEntries(billed) }
}
