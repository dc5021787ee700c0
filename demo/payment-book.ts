import type { CallbackEvents } from '../client/index.ts'
import type { PaymentEvent } from '../domain/payment/payment-events.ts'
import {
  potsOf,
  type Entry,
  type LogEvent,
  type Part,
  type Pots,
  type Line,
} from './payment-entry.ts'

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
    PaymentPickedUp: null,
    PaymentAmended: null,
    PaymentRenewed: null,
  }
  return (actions as Readonly<Record<string, string | null>>)[type] ?? undefined
}

/** What a line counts: what its event moves, or all that was asked for; refunds are negative. */
const countedBy = ({ asked }: Entry, { type, data }: LogEvent): Pots => {
  if (type === 'PaymentRefunded')
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
