import { openSqliteEventStore } from '../infrastructure/sqlite-event-store.ts'

type Event = {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly revision: number
  readonly data: any
}

type Pots = { amount: number; additionalAmount: number }

/** A payment as its raw events tell it; amounts in minor units. */
export type Entry = {
  readonly tid: string
  readonly currency: string
  status: string
  asked: Pots
  authorised: Pots
  released: Pots
  readonly captures: (Pots & { readonly id: string | null })[]
  readonly refunds: (Pots & { readonly id: string | null })[]
  /** The messages that the merchant is owed, in order. */
  readonly owed: { readonly id: string; readonly event: string }[]
}

/** What is owed for each event, by the interface's own table. */
const messageOf: Readonly<Record<string, string>> = {
  PaymentAuthorized: 'payment_authorized',
  PaymentDeclined: 'payment_aborted_by_customer',
  PaymentFailed: 'payment_aborted_by_customer',
  PaymentAborted: 'payment_aborted_by_merchant',
  PaymentExpired: 'payment_request_expired',
  PaymentCaptured: 'payment_captured',
  PaymentReleased: 'payment_auth_released',
  PaymentRenewed: 'payment_authorization_renewed',
  PaymentAuthorizationExpired: 'payment_authorization_expired',
}

const sum = (parts: readonly Pots[]): Pots => ({
  amount: parts.reduce((all, part) => all + part.amount, 0),
  additionalAmount: parts.reduce((all, part) => all + part.additionalAmount, 0),
})

const potsOf = ({ amount, additionalAmount }: Pots): Pots => ({ amount, additionalAmount })

/** What is left of an authorisation: all that was neither captured nor released. */
export const leftOf = ({ authorised, released, captures }: Entry): Pots => {
  const captured = sum(captures)
  return {
    amount: authorised.amount - captured.amount - released.amount,
    additionalAmount:
      authorised.additionalAmount - captured.additionalAmount - released.additionalAmount,
  }
}

const opened = ({ stream, data: { request } }: Event): Entry => ({
  tid: stream.slice('payment-'.length),
  currency: request.currency,
  status: 'pending 1003',
  asked: potsOf(request),
  authorised: { amount: 0, additionalAmount: 0 },
  released: { amount: 0, additionalAmount: 0 },
  captures: [],
  refunds: [],
  owed: [],
})

/** Writes an event into the books: plain bookkeeping, sharing nothing with the code that is checked. */
const write = (entry: Entry, { type, data }: Event): void => {
  if (type === 'PaymentAuthorized') {
    entry.asked = { ...entry.asked, additionalAmount: data.additionalAmount }
    entry.authorised = entry.asked
    entry.status = 'auth 3008'
  }
  if (type === 'PaymentCaptured') {
    entry.captures.push({ id: data.captureId, ...potsOf(data) })
    const left = leftOf(entry)
    if (left.amount + left.additionalAmount === 0) entry.status = 'ok 2000'
  }
  if (type === 'PaymentRefunded') entry.refunds.push({ id: data.refundId, ...potsOf(data) })
  if (type === 'PaymentReleased' || type === 'PaymentAuthorizationExpired')
    entry.released = potsOf(data)
  if (type === 'PaymentReleased') entry.status = entry.captures.length > 0 ? 'ok 2000' : 'fail 4019'
  if (type === 'PaymentAuthorizationExpired') entry.status = 'fail 5012'
  if (type === 'PaymentAborted') entry.status = 'fail 4019'
  if (type === 'PaymentDeclined') entry.status = 'fail 5006'
  if (type === 'PaymentExpired') entry.status = 'fail 5011'
  if (type === 'PaymentFailed') entry.status = `fail ${data.statusCode}`
}

/** Keeps books of the payments and of the callback attempts out of the raw event log. */
export const readBooks = async (file: string) => {
  const entries = new Map<string, Entry>()
  /** Attempts by the id of the message, with what came of each. */
  const attempts = new Map<string, string[]>()
  const gaps: string[] = []
  const revisions = new Map<string, number>()
  let count = 0
  const store = openSqliteEventStore(file)
  for await (const batch of store.readAll(0))
    for (const event of batch as readonly Event[]) {
      const { id, type, stream, revision, data } = event
      count += 1
      if (revision !== (revisions.get(stream) ?? -1) + 1) gaps.push(`${stream} at ${revision}`)
      revisions.set(stream, revision)
      if (type === 'PaymentRequested') entries.set(stream, opened(event))
      const entry = entries.get(stream)
      if (entry) write(entry, event)
      const message = messageOf[type]
      if (message !== undefined) entry?.owed.push({ id, event: message })
      if (type !== 'CallbackAttempted') continue
      const told = stream.slice('callback-'.length)
      attempts.set(told, [...(attempts.get(told) ?? []), data.result])
    }
  await store.close()
  return { entries: [...entries.values()], attempts, gaps, count }
}

export type Books = Awaited<ReturnType<typeof readBooks>>
