import type { CallbackEvents } from '../client/index.ts'
import type { PaymentEvent } from '../domain/payment/payment-events.ts'
import type { Sale } from './sale.ts'
import { amountIn, timeOf, type Outcome } from './telling.ts'

/** An event as the log holds it. */
export type LogEvent = {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly revision: number
  readonly data: any
  /** Of it, `at` is when it happened. */
  readonly metadata: any
}

export type Pots = { readonly amount: number; readonly additionalAmount: number }

export type Charge = {
  readonly fee: number
  readonly interchange: number
  readonly vat: number
  readonly taxcode: string
}

export type Part = Pots & {
  readonly id: string | null
  readonly at: number
  readonly charge: Charge
}

/** What a transaction log owes of an event. */
export type Line = Pots & {
  readonly action: string
  readonly at: number
  readonly id: string | null
  readonly isCredit: boolean
  readonly charge: Charge | null
  /** The report that was open at its event. */
  readonly report: number
  /** Whether a settlement has been started since. */
  readonly isSettled: boolean
}

/** A payment as its raw events tell it; amounts in minor units. */
export type Entry = {
  readonly tid: string
  readonly merchant: string
  readonly posId: string
  readonly posTid: string
  readonly currency: string
  readonly ledger: string
  readonly status: 'pending' | 'auth' | 'ok' | 'fail'
  readonly statusCode: number
  readonly asked: Pots
  readonly authorised: Pots
  readonly released: Pots
  readonly captures: readonly Part[]
  readonly refunds: readonly (Part & { readonly text: string | null })[]
  readonly isCredit: boolean
  /** The scopes that the payer granted along with the authorisation. */
  readonly granted: readonly string[] | null
  readonly modifiedAt: number
  readonly expiresAt: number
  readonly lines: readonly Line[]
  /** The messages that the merchant is owed, in order. */
  readonly owed: readonly { readonly id: string; readonly event: string }[]
}

export const potsOf = ({ amount, additionalAmount }: Pots): Pots => ({ amount, additionalAmount })

/** The action of the line that an event makes of the payment as it is after it; some make none. */
const actionOf = ({ captures }: Entry, type: string): string | undefined => {
  const actions: Readonly<Record<PaymentEvent['type'], string | null>> = {
    PaymentRequested: 'request',
    PaymentAuthorized: 'auth',
    PaymentDeclined: 'fail',
    PaymentFailed: 'fail',
    PaymentAborted: 'abort',
    PaymentExpired: 'expire',
    PaymentCaptured: 'capture',
    PaymentReleased: 'release',
    PaymentAuthorizationExpired: captures.length > 0 ? 'release' : 'expire',
    PaymentRefunded: 'refund',
    PaymentDisputed: 'dispute',
    PaymentDisputeWon: 'dispute',
    PaymentDisputeLost: null,
    PaymentEvidenceSent: null,
    PaymentPickedUp: null,
    PaymentAmended: null,
    PaymentRenewed: null,
  }
  return (actions as Readonly<Record<string, string | null>>)[type] ?? undefined
}

/** What a line counts: what its event moves, or all that was asked for; below zero for refunds. */
const countedBy = ({ asked }: Entry, { type, data }: LogEvent): Pots => {
  if (type === 'PaymentRefunded' || type === 'PaymentDisputed')
    return { amount: -data.amount, additionalAmount: -data.additionalAmount }
  return data.amount === undefined ? asked : potsOf(data)
}

/** The lines of a payment as it is after an event, with that of the event. */
const linesOf = (entry: Entry, event: LogEvent, at: number, report: number): readonly Line[] => {
  const action = actionOf(entry, event.type)
  if (action === undefined) return entry.lines
  const { captureId, refundId, charge = null } = event.data
  const id = captureId ?? refundId ?? null
  const { isCredit } = entry
  const line = {
    ...countedBy(entry, event),
    action,
    at,
    id,
    isCredit,
    charge,
    report,
    isSettled: false,
  }
  return [...entry.lines, line]
}

const nothing: Pots = { amount: 0, additionalAmount: 0 }

/** What is left of an authorisation, in each pot: all that was neither captured nor released. */
export const leftOf = ({ authorised, released, captures }: Entry): Pots => {
  const left = (pot: keyof Pots): number =>
    captures.reduce((rest, part) => rest - part[pot], authorised[pot] - released[pot])
  return { amount: left('amount'), additionalAmount: left('additionalAmount') }
}

const opened = ({ stream, metadata: { at }, data: { request, expiresAt } }: LogEvent): Entry => ({
  tid: stream.slice('payment-'.length),
  merchant: request.merchant,
  posId: request.posId,
  posTid: request.posTid,
  currency: request.currency,
  ledger: request.ledger,
  status: 'pending',
  statusCode: 1003,
  asked: potsOf(request),
  authorised: nothing,
  released: nothing,
  captures: [],
  refunds: [],
  isCredit: false,
  granted: null,
  modifiedAt: at,
  expiresAt,
  lines: [],
  owed: [],
})

const ok = { status: 'ok', statusCode: 2000 } as const

const failed = (statusCode: number) => ({ status: 'fail', statusCode }) as const

const captured = (entry: Entry, part: Part): Partial<Entry> => {
  const captures = [...entry.captures, part]
  const { amount, additionalAmount } = leftOf({ ...entry, captures })
  return { captures, ...(amount === 0 && additionalAmount === 0 && ok) }
}

/** What an event changes, but for the time. */
const changesOf = (entry: Entry, { type, data, metadata: { at } }: LogEvent): Partial<Entry> => {
  const part = { ...potsOf(data), at, charge: data.charge }
  switch (type as PaymentEvent['type']) {
    case 'PaymentAuthorized': {
      const authorised = { ...entry.asked, additionalAmount: data.additionalAmount }
      const { credit: isCredit, expiresAt } = data
      const granted = data.permissions?.scope ?? null
      const auth = { status: 'auth', statusCode: 3008 } as const
      return { ...auth, asked: authorised, authorised, isCredit, granted, expiresAt }
    }
    case 'PaymentCaptured':
      return captured(entry, { ...part, id: data.captureId })
    case 'PaymentRefunded':
      return { refunds: [...entry.refunds, { ...part, id: data.refundId, text: data.text }] }
    case 'PaymentReleased':
      return { released: potsOf(data), ...(entry.captures.length > 0 ? ok : failed(4019)) }
    case 'PaymentRenewed':
      return { expiresAt: data.expiresAt }
    case 'PaymentAuthorizationExpired':
      return { released: potsOf(data), ...failed(5012) }
    case 'PaymentExpired':
      return failed(5011)
    case 'PaymentAborted':
      return failed(4019)
    case 'PaymentDeclined':
      return failed(5006)
    case 'PaymentFailed':
      return failed(data.statusCode)
    case 'PaymentRequested':
    case 'PaymentPickedUp':
    case 'PaymentDisputed':
    case 'PaymentEvidenceSent':
    case 'PaymentDisputeWon':
    case 'PaymentDisputeLost':
    case 'PaymentAmended':
      return {}
  }
}

/** All lines of a payment so far belong to the settlement that is started. */
export const settled = (entry: Entry): Entry => ({
  ...entry,
  lines: entry.lines.map((line) => ({ ...line, isSettled: true })),
})

/** What is owed for each event, by the interface's own table. */
const messages: Readonly<Record<PaymentEvent['type'], keyof CallbackEvents | null>> = {
  PaymentAuthorized: 'payment_authorized',
  PaymentDeclined: 'payment_aborted_by_customer',
  PaymentFailed: 'payment_aborted_by_customer',
  PaymentAborted: 'payment_aborted_by_merchant',
  PaymentExpired: 'payment_request_expired',
  PaymentCaptured: 'payment_captured',
  PaymentRefunded: 'payment_refunded',
  PaymentReleased: 'payment_auth_released',
  PaymentRenewed: 'payment_authorization_renewed',
  PaymentAuthorizationExpired: 'payment_authorization_expired',
  PaymentDisputed: 'dispute_opened',
  PaymentDisputeWon: 'dispute_closed',
  PaymentDisputeLost: 'dispute_closed',
  PaymentEvidenceSent: null,
  PaymentRequested: null,
  PaymentPickedUp: null,
  PaymentAmended: null,
}

const messageOf = (type: string): keyof CallbackEvents | undefined =>
  (messages as Readonly<Record<string, keyof CallbackEvents | null>>)[type] ?? undefined

/** Writes an event into the books, by plain bookkeeping that shares nothing with the service. */
export const written = (before: Entry | undefined, event: LogEvent, report: number): Entry => {
  const { id, type, data, metadata } = event
  // An expiry holds from its deadline on, however late it was recorded.
  const at = data.expiredAt ?? metadata.at
  const known = before ?? opened(event)
  const entry = { ...known, ...(before && changesOf(before, event)) }
  const message = messageOf(type)
  return {
    ...entry,
    modifiedAt: Math.max(known.modifiedAt, at),
    lines: linesOf(entry, event, at, report),
    owed: message === undefined ? entry.owed : [...entry.owed, { id, event: message }],
  }
}

/** The outcome that the service owes of a payment in the books. */
export const outcomeOwed = (entry: Entry, { customer }: Sale): Outcome => {
  const { tid, currency, ledger, captures, refunds, asked, released } = entry
  const amount = (minor: number): string => amountIn(currency, minor)
  const left = leftOf(entry)
  const partOf = ({ id, at, ...pots }: Pots & { id: string | null; at: number }) => ({
    id,
    amount: amount(pots.amount),
    additional_amount: amount(pots.additionalAmount),
    date: timeOf(at),
  })
  const charged = (name: 'fee' | 'interchange') =>
    amount([...captures, ...refunds].reduce((all, { charge }) => all + charge[name], 0))
  const report = entry.lines.at(-1)?.report
  return {
    tid,
    pos_id: entry.posId,
    pos_tid: entry.posTid,
    customer,
    currency,
    amount: amount(asked.amount),
    additional_amount: amount(asked.additionalAmount),
    auth_amount: amount(left.amount),
    auth_additional_amount: amount(left.additionalAmount),
    released_amount: amount(released.amount),
    released_additional_amount: amount(released.additionalAmount),
    captures: captures.map(({ charge, ...part }) => ({
      ...partOf(part),
      transaction_fee: amount(charge.fee),
      interchange_fee: amount(charge.interchange),
    })),
    refunds: refunds.map(({ text, ...part }) => ({ ...partOf(part), text })),
    transaction_fee: charged('fee'),
    interchange_fee: charged('interchange'),
    credit: entry.isCredit,
    status: entry.status,
    status_code: entry.statusCode,
    date_modified: timeOf(entry.modifiedAt),
    date_expires: timeOf(entry.expiresAt),
    ledger,
    report_id: `${report}`,
    report_uri: `/merchant/v1/ledger/${ledger}/report/${report}/`,
    permissions: entry.granted && { scope: entry.granted.join(' ') },
  }
}

/** A line of a transaction log by its columns, and the report that it was read from. */
export type LogLine = Readonly<Record<string, string>>

export const freeOfCharge: Charge = { fee: 0, interchange: 0, vat: 0, taxcode: '' }

export const lineOwed = (
  { tid, merchant, currency }: Entry,
  { customer }: Sale,
  { action, id, at, isCredit, report, charge, ...pots }: Line,
): LogLine => {
  const amount = (minor: number): string => amountIn(currency, minor)
  const { fee, interchange, vat, taxcode } = charge ?? freeOfCharge
  const gross = charge ? pots.amount + pots.additionalAmount : 0
  return {
    report: String(report),
    tid,
    sub_id: id ?? '',
    timestamp: timeOf(at),
    action,
    type: isCredit ? 'credit' : '',
    // With an apostrophe, a spreadsheet does not take the plus of a phone number for a formula.
    customer: customer.startsWith('+') ? `'${customer}` : customer,
    currency,
    amount: amount(pots.amount),
    additional_amount: amount(pots.additionalAmount),
    gross: amount(gross),
    fee: amount(fee),
    interchange: amount(interchange),
    vat: amount(vat),
    taxcode,
    net: amount(gross - fee - interchange - vat),
    merchant_id: merchant,
  }
}

/** The lines of the transaction logs that the service owes of a payment in the books. */
export const linesOwed = (entry: Entry, sale: Sale): readonly LogLine[] =>
  entry.lines.map((line) => lineOwed(entry, sale, line))
