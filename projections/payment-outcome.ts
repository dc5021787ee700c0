import type { Recorded } from '../domain/events.ts'
import { isNothing, minus, nothing, plus } from '../domain/money/pots.ts'
import { paymentEvents, type PaymentEvent } from '../domain/payment/payment-events.ts'
import { statusCodes } from '../domain/payment/status.ts'
import { withAdded } from '../domain/pieces.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { isOfPayment, isSilent } from './payment-lines.ts'
import { requested, type PaymentOutcome } from './payment-outcome-state.ts'

/** What events change of an outcome. */
type Changes = Partial<
  Pick<
    PaymentOutcome,
    | 'payer'
    | 'permissions'
    | 'ledger'
    | 'status'
    | 'statusCode'
    | 'additionalAmount'
    | 'credit'
    | 'available'
    | 'released'
    | 'captures'
    | 'refunds'
    | 'modifiedAt'
    | 'expiresAt'
    | 'deadline'
  >
>

/** Where an outcome stands in the log. */
type Standing = Pick<PaymentOutcome, 'linePosition' | 'lineLedger' | 'revision'>

/** Written out: every event of every payment comes through here, and a spread takes ten times as long. */
const withChanges = (
  row: PaymentOutcome,
  changes: Changes,
  { linePosition, lineLedger, revision }: Standing = row,
): PaymentOutcome => ({
  tid: row.tid,
  merchant: row.merchant,
  posId: row.posId,
  posTid: row.posTid,
  customer: row.customer,
  payer: changes.payer ?? row.payer,
  permissions: changes.permissions ?? row.permissions,
  currency: row.currency,
  ledger: changes.ledger ?? row.ledger,
  status: changes.status ?? row.status,
  statusCode: changes.statusCode ?? row.statusCode,
  amount: row.amount,
  additionalAmount: changes.additionalAmount ?? row.additionalAmount,
  credit: changes.credit ?? row.credit,
  available: changes.available ?? row.available,
  released: changes.released ?? row.released,
  captures: changes.captures ?? row.captures,
  refunds: changes.refunds ?? row.refunds,
  modifiedAt: changes.modifiedAt ?? row.modifiedAt,
  expiresAt: changes.expiresAt ?? row.expiresAt,
  deadline: changes.deadline === undefined ? row.deadline : changes.deadline,
  linePosition,
  lineLedger,
  revision,
})

const ending = (
  row: PaymentOutcome,
  status: 'ok' | 'fail',
  statusCode: number,
  modifiedAt: Instant,
): Changes => ({
  status,
  statusCode,
  available: nothing,
  released: plus(row.released, row.available),
  deadline: null,
  // Between the deadline and its record, a refund or an amendment may have come.
  modifiedAt: Math.max(row.modifiedAt, modifiedAt),
})

/** At `now >= date_expires` every read says so, whether or not the expiry has been recorded yet (decisions 4). */
export const asOf = (now: Instant, row: PaymentOutcome): PaymentOutcome => {
  if (row.deadline === null || now < row.deadline) return row
  const { REQUEST_EXPIRED, AUTH_EXPIRED } = statusCodes
  const statusCode = row.status === 'auth' ? AUTH_EXPIRED : REQUEST_EXPIRED
  return withChanges(row, ending(row, 'fail', statusCode, row.deadline))
}

const changesOf = (
  row: PaymentOutcome,
  event: Exclude<PaymentEvent, { type: 'PaymentRequested' }>,
  at: Instant,
): Changes => {
  switch (event.type) {
    case 'PaymentAmended':
      return { ledger: event.data.ledger ?? row.ledger, modifiedAt: at }
    case 'PaymentPickedUp':
      return { payer: event.data.payer }
    case 'PaymentAuthorized': {
      const { payer, additionalAmount, credit, expiresAt, permissions = null } = event.data
      return {
        payer,
        permissions,
        status: 'auth',
        statusCode: statusCodes.AUTH,
        additionalAmount,
        credit,
        available: { amount: row.amount, additionalAmount },
        modifiedAt: at,
        expiresAt,
        deadline: expiresAt,
      }
    }
    case 'PaymentDeclined':
      return { ...ending(row, 'fail', statusCodes.REJECTED, at), payer: event.data.payer }
    case 'PaymentFailed':
      return ending(row, 'fail', event.data.statusCode, at)
    case 'PaymentAborted':
      return ending(row, 'fail', statusCodes.ABORTED, at)
    case 'PaymentExpired':
      return ending(row, 'fail', statusCodes.REQUEST_EXPIRED, event.data.expiredAt)
    case 'PaymentCaptured': {
      const { captureId: id, charge, amount, additionalAmount } = event.data
      const { fee, interchange } = charge
      const capture = { id, amount, additionalAmount, at, fee, interchange }
      const captures = withAdded(row.captures, capture)
      const available = minus(row.available, event.data)
      if (!isNothing(available)) return { captures, available, modifiedAt: at }
      const { OK: statusCode } = statusCodes
      return { captures, available, status: 'ok', statusCode, modifiedAt: at, deadline: null }
    }
    case 'PaymentReleased':
      return row.captures.length > 0
        ? ending(row, 'ok', statusCodes.OK, at)
        : ending(row, 'fail', statusCodes.ABORTED, at)
    case 'PaymentRenewed': {
      const { expiresAt } = event.data
      return { modifiedAt: at, expiresAt, deadline: expiresAt }
    }
    case 'PaymentAuthorizationExpired':
      return ending(row, 'fail', statusCodes.AUTH_EXPIRED, event.data.expiredAt)
    case 'PaymentRefunded': {
      const { refundId: id, text, charge, amount, additionalAmount } = event.data
      const { fee, interchange } = charge
      const refund = { id, amount, additionalAmount, text, at, fee, interchange }
      return { refunds: withAdded(row.refunds, refund), modifiedAt: at }
    }
  }
}

/** What is folded of the stream of a payment: a pure function of the log. */
export const paymentOutcome = {
  handles: new Set(Object.keys(paymentEvents) as PaymentEvent['type'][]),
  keysOf: ({ stream }: Pick<Recorded, 'stream'>): string[] => [idIn(stream)],
  apply: (row: PaymentOutcome | undefined, event: Recorded): PaymentOutcome | undefined => {
    if (!isOfPayment(event)) return row
    const { stream, position, revision, metadata } = event
    if (event.type === 'PaymentRequested')
      return requested(idIn(stream), event.data, metadata.at, position)
    if (!row) return undefined
    const hasLine = !isSilent(event.type)
    return withChanges(row, changesOf(row, event, metadata.at), {
      linePosition: hasLine ? position : row.linePosition,
      lineLedger: hasLine ? row.ledger : row.lineLedger,
      revision,
    })
  },
}
