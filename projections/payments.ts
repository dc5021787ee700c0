import { asc } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { LoggedMessage } from '../domain/callback.ts'
import { callbackNameOf } from '../domain/callback-names.ts'
import type { Recorded } from '../domain/events.ts'
import { isNothing, minus, type Pots } from '../domain/money/money.ts'
import {
  hasEffect,
  paymentEffects,
  paymentEvents,
  type PaymentEvent,
  type WithEffect,
} from '../domain/payment/payment-events.ts'
import { statusCodes, type StatusCode } from '../domain/payment/status.ts'
import { customerKeyOf } from '../domain/people/sealed-name.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { dueBy, param, nextBy, rowsOf } from './prepared.ts'
import { transactionLine } from './payment-lines.ts'
import { isToCapture, paymentTable, type PaymentRow } from './payment-table.ts'
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
    | 'customerKey'
    | 'currency'
    | 'amount'
    | 'inboxPosition'
    | 'capturesAtOnce'
    | 'told'
    | 'requestedAt'
    | 'requestedPosition'
    | 'modifiedAt'
  >
>

const ended = (statusCode: StatusCode): Changes => ({
  isWaiting: false,
  amountLeft: 0,
  additionalAmountLeft: 0,
  deadline: null,
  statusCode,
})

const grossOf = ({ amount, additionalAmount }: Pots): number => amount + additionalAmount

const requested = (
  tid: string,
  { request, payer, expiresAt }: Extract<PaymentEvent, { type: 'PaymentRequested' }>['data'],
  { at, position }: { readonly at: Instant; readonly position: number },
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
    customerKey: customer === null ? null : customerKeyOf(customer),
    currency,
    amount,
    additionalAmount,
    credit: false,
    statusCode: statusCodes.PENDING,
    captured: 0,
    refunded: 0,
    amountLeft: 0,
    additionalAmountLeft: 0,
    payer,
    scan: null,
    isWaiting: true,
    inboxPosition: position,
    expiresAt,
    deadline: expiresAt,
    callbackUri: request.callbackUri,
    capturesAtOnce: request.capturesAtOnce === true,
    told: 0,
    requestedAt: at,
    requestedPosition: position,
    modifiedAt: at,
  }
}

type End = Extract<PaymentEvent, { type: WithEffect<'ends'> }>

const isEnd = (event: PaymentEvent): event is End => hasEffect(event.type, 'ends')

const codeOfEnd = (row: PaymentRow, event: End): StatusCode => {
  if (event.type === 'PaymentFailed') return event.data.statusCode
  const code = paymentEffects[event.type].ends
  return code === statusCodes.ABORTED && row.captured > 0 ? statusCodes.OK : code
}

const captured = (row: PaymentRow, taken: Pots): Changes => {
  const left = minus({ amount: row.amountLeft, additionalAmount: row.additionalAmountLeft }, taken)
  const captured = row.captured + grossOf(taken)
  if (isNothing(left)) return { ...ended(statusCodes.OK), captured }
  return { captured, amountLeft: left.amount, additionalAmountLeft: left.additionalAmount }
}

/** As `evolve` has it: a past deadline may be recorded later than what came after it. */
const modifiedAt = (row: PaymentRow, event: PaymentEvent, at: Instant): Instant => {
  if (event.type === 'PaymentPickedUp') return row.modifiedAt
  if (!isEnd(event)) return at
  return Math.max(row.modifiedAt, 'expiredAt' in event.data ? event.data.expiredAt : at)
}

/** Undefined if the row does not change. */
const changesOf = (
  row: PaymentRow,
  event: Exclude<PaymentEvent, { type: 'PaymentRequested' }>,
): Changes | undefined => {
  if (isEnd(event)) {
    const end = ended(codeOfEnd(row, event))
    return event.type === 'PaymentDeclined' ? { ...end, payer: event.data.payer } : end
  }
  switch (event.type) {
    case 'PaymentAmended': {
      const { ledger = row.ledger, callbackUri = row.callbackUri } = event.data
      return { ledger, callbackUri }
    }
    case 'PaymentPickedUp':
      return event.data
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt } = event.data
      const left = { amountLeft: row.amount, additionalAmountLeft: additionalAmount }
      const ends = { expiresAt, deadline: expiresAt, statusCode: statusCodes.AUTH }
      return { payer, isWaiting: false, additionalAmount, credit, ...left, ...ends }
    }
    case 'PaymentCaptured':
      return captured(row, event.data)
    case 'PaymentRenewed': {
      const { expiresAt } = event.data
      return { expiresAt, deadline: expiresAt }
    }
    case 'PaymentRefunded':
      return { refunded: row.refunded + grossOf(event.data) }
    case 'PaymentDisputed':
    case 'PaymentEvidenceSent':
    case 'PaymentDisputeWon':
    case 'PaymentDisputeLost':
      return {}
  }
}

/** The callback message of an event to the payment's own address. */
const messageOf = (
  before: PaymentRow | undefined,
  after: PaymentRow | undefined,
  event: Recorded,
): LoggedMessage | undefined => {
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
  handles: Object.keys(paymentEvents) as PaymentEvent['type'][],
  begins: ['PaymentRequested'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    const { stream, position, metadata } = event
    if (event.type === 'PaymentRequested')
      return requested(idIn(stream), event.data, { at: metadata.at, position })
    if (!row) return undefined
    const changes = changesOf(row, event)
    const isTold = callbackNameOf(event.type, metadata.schema) !== undefined
    const isMoved = row.isWaiting && event.type !== 'PaymentAmended'
    const inboxPosition = isMoved ? position : row.inboxPosition
    const told = isTold ? row.told + 1 : row.told
    const modified = modifiedAt(row, event, metadata.at)
    if (!changes && !isTold && modified === row.modifiedAt) return row
    return { ...row, ...changes, inboxPosition, told, modifiedAt: modified }
  },
  message: messageOf,
  transactionLine,
})

export const paymentQueries = (db: BetterSQLite3Database) => {
  const { inboxPosition } = paymentTable
  const toCapture = rowsOf(db, paymentTable, {
    where: [isToCapture],
    order: [asc(inboxPosition)],
    limit: param('limit'),
  })
  return {
    /** Payments whose deadline has passed without a recorded expiry, earliest first. */
    due: dueBy(db, paymentTable, paymentTable.deadline),
    nextDeadline: nextBy(db, paymentTable, paymentTable.deadline),
    /** Accepted, and to be captured at once; earliest accepted first. */
    toCapture: (limit: number): readonly PaymentRow[] => toCapture.all({ limit }),
  }
}
