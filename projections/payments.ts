import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { ToldMessage } from '../domain/callback.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import type { Recorded } from '../domain/events.ts'
import { isNothing } from '../domain/money/pots.ts'
import {
  hasEffect,
  paymentEvents,
  type PaymentEvent,
  type WithEffect,
} from '../domain/payment/payment-events.ts'
import { idIn } from '../domain/stream.ts'
import { dueBy, nextBy } from './due.ts'
import { transactionLine } from './payment-lines.ts'
import { paymentTable, type PaymentRow } from './payment-table.ts'
import { projection } from './projection.ts'

/** Fields that an event changes. */
type Changes = Partial<
  Omit<
    PaymentRow,
    | 'tid'
    | 'merchant'
    | 'posId'
    | 'posTid'
    | 'text'
    | 'customer'
    | 'currency'
    | 'amount'
    | 'inboxPosition'
    | 'told'
  >
>

const ended: Changes = {
  isWaiting: false,
  amountLeft: 0,
  additionalAmountLeft: 0,
  deadline: null,
}

const requested = (
  tid: string,
  { request, payer, expiresAt }: Extract<PaymentEvent, { type: 'PaymentRequested' }>['data'],
  position: number,
): PaymentRow => {
  const { merchant, ledger, posId, posTid, customer, currency, amount, additionalAmount } = request
  return {
    tid,
    merchant,
    ledger,
    posId,
    posTid,
    text: request.text,
    customer,
    currency,
    amount,
    additionalAmount,
    credit: false,
    amountLeft: 0,
    additionalAmountLeft: 0,
    payer,
    isWaiting: true,
    inboxPosition: position,
    expiresAt,
    deadline: expiresAt,
    callbackUri: request.callbackUri,
    told: 0,
  }
}

type End = Extract<PaymentEvent, { type: WithEffect<'ends'> }>
const isEnd = (event: PaymentEvent): event is End => hasEffect(event.type, 'ends')

/** Undefined if the row stays as it is. */
const changesOf = (
  row: PaymentRow,
  event: Exclude<PaymentEvent, { type: 'PaymentRequested' }>,
): Changes | undefined => {
  if (event.type === 'PaymentDeclined') return { ...ended, payer: event.data.payer }
  if (isEnd(event)) return ended
  switch (event.type) {
    case 'PaymentAmended': {
      const { ledger = row.ledger, callbackUri = row.callbackUri } = event.data
      return { ledger, callbackUri }
    }
    case 'PaymentPickedUp':
      return { payer: event.data.payer }
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt } = event.data
      const left = { amountLeft: row.amount, additionalAmountLeft: additionalAmount }
      const ends = { expiresAt, deadline: expiresAt }
      return { payer, isWaiting: false, additionalAmount, credit, ...left, ...ends }
    }
    case 'PaymentCaptured': {
      const amountLeft = row.amountLeft - event.data.amount
      const additionalAmountLeft = row.additionalAmountLeft - event.data.additionalAmount
      const left = { amount: amountLeft, additionalAmount: additionalAmountLeft }
      return isNothing(left) ? ended : { amountLeft, additionalAmountLeft }
    }
    case 'PaymentRenewed': {
      const { expiresAt } = event.data
      return { expiresAt, deadline: expiresAt }
    }
    case 'PaymentRefunded':
      return undefined
  }
}

/** The message that the event tells the payment's own address. */
const messageOf = (
  before: PaymentRow | undefined,
  after: PaymentRow | undefined,
  event: Recorded,
): ToldMessage | undefined => {
  if (!after || after.told === (before?.told ?? 0)) return undefined
  const { id, stream, revision, position, type, metadata } = event
  const name = callbackNameOf(type, metadata.schema)
  return (
    name && {
      id,
      merchant: after.merchant,
      subject: stream,
      revision,
      event: name,
      seqno: after.told,
      position,
      at: metadata.at,
      isAddressed: after.callbackUri !== null,
    }
  )
}

export const paymentProjection = projection({
  table: paymentTable,
  key: paymentTable.tid,
  handles: Object.keys(paymentEvents) as PaymentEvent['type'][],
  begins: ['PaymentRequested'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    const { stream, position, metadata } = event
    if (event.type === 'PaymentRequested') return requested(idIn(stream), event.data, position)
    if (!row) return undefined
    const changes = changesOf(row, event)
    const isTold = callbackNameOf(event.type, metadata.schema) !== undefined
    if (!changes && !isTold) return row
    const isMoved = row.isWaiting && event.type !== 'PaymentAmended'
    const inboxPosition = isMoved ? position : row.inboxPosition
    return { ...row, ...changes, inboxPosition, told: isTold ? row.told + 1 : row.told }
  },
  message: messageOf,
  transactionLine,
})

export const paymentQueries = (db: BetterSQLite3Database) => ({
  /** Payments whose deadline has passed without a recorded expiry, earliest first. */
  due: dueBy(db, paymentTable, paymentTable.deadline),
  nextDeadline: nextBy(db, paymentTable, paymentTable.deadline),
})
