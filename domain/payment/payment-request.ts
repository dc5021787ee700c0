import { grossOf, isTooLarge } from '../accounting/fees.ts'
import { addUp } from '../money/money.ts'
import { isSameRequest } from '../people/sealed-name.ts'
import { holding, refuse, refuseFor, refuseIf, type RefusalCode } from '../refusal.ts'
import { memorySize } from '../memory-size.ts'
import { jsonEquals } from '../json-equality.ts'
import { authorizationLifetime, endOfWait, secondsAfter, type Instant } from '../time.ts'
import type { PaymentCommand } from './payment-command.ts'
import type { LineItem, PaymentDetails, PaymentEvent, PaymentRequest } from './payment-events.ts'
import { awaitsScan, type Answer, type Payment, type RequestedPayment } from './payment-state.ts'
import { statusCodes } from './status.ts'

export const addsUp = (lineItems: readonly Pick<LineItem, 'total'>[], amount: number): boolean =>
  lineItems.length === 0 || addUp(...lineItems.map(({ total }) => total)) === String(amount)

/** Limits of the additional amount as multiples of the amount (interface 4). */
const maxUnconfirmedMultiple = 1

const maxMultiple = 10

type Acceptance = {
  readonly additionalAmount: number
  readonly isConfirmed: boolean
  readonly credit: boolean
}

const faultOfAdditional = (
  { additionalAmount: chosen, isConfirmed }: Partial<Acceptance>,
  { amount, additionalAmount: requested, additionalEdit }: PaymentRequest,
): RefusalCode | undefined => {
  if (chosen === undefined || chosen === requested) return undefined
  if (!additionalEdit) return 'additional_amount_is_not_editable'
  if (chosen > maxMultiple * amount) return 'additional_amount_is_too_high'
  const isConfirmedTo = isConfirmed !== false || chosen <= maxUnconfirmedMultiple * amount
  return isConfirmedTo ? undefined : 'additional_amount_is_not_confirmed'
}

/** What is wrong with a payer's acceptance, as far as known. */
export const faultsOfAcceptance = (
  acceptance: Partial<Acceptance>,
  request: PaymentRequest,
): readonly RefusalCode[] => {
  const fault = faultOfAdditional(acceptance, request)
  return holding({
    ...(fault && { [fault]: true }),
    credit_is_not_allowed: acceptance.credit === true && !request.allowCredit,
  })
}

export const decideRequest = (
  { at, request, facts }: Extract<PaymentCommand, { type: 'RequestPayment' }>,
  payment: Payment,
): readonly PaymentEvent[] => {
  if (payment.status !== 'unrequested')
    return isSameRequest(payment.request, request) ? [] : refuse('pos_tid_used_with_other_data')
  refuseIf({
    pos_is_unknown: !facts.posIsKnown,
    ledger_is_unknown: !facts.ledgerIsOpen,
    line_items_do_not_add_up: !addsUp(request.lineItems, request.amount),
    amount_is_too_large: isTooLarge(request),
  })
  const { payer: customer } = facts
  const payer = typeof customer === 'object' && 'id' in customer ? customer.id : null
  const expiresAt = endOfWait(at, request.expiresIn)
  const data = { request, payer, expiresAt }
  if (typeof customer === 'object' && 'shortlink' in customer)
    return [{ type: 'PaymentRequested', data: { ...data, shortlink: customer.shortlink } }]
  const event: PaymentEvent = { type: 'PaymentRequested', data }
  if (facts.payer !== 'unknown') return [event]
  return [event, { type: 'PaymentFailed', data: { statusCode: statusCodes.NOT_FOUND } }]
}

/**
 * Limits the estimated bytes of all amendments together, because they are read with the payment.
 * Allows thousands of typical amendments.
 */
const maxAmendmentsSize = 16 * 1_048_576

/** A payment that failed because the customer is unknown has no answer. */
const isAnswered = ({ answer, statusCode }: RequestedPayment): boolean =>
  answer !== null && statusCode !== statusCodes.NOT_FOUND

export const decideAmendment = (
  { changes, ledgerIsOpen }: Extract<PaymentCommand, { type: 'AmendPayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const { request, details, amendedSize } = payment
  const changed = Object.entries(changes).filter(
    ([name, value]) => !jsonEquals(value, details[name as keyof PaymentDetails]),
  )
  if (changed.length === 0) return []
  const data: Partial<PaymentDetails> = Object.fromEntries(changed)
  if (isAnswered(payment) && (data.lineItems || data.links)) return refuse('payment_is_answered')
  refuseIf({
    ledger_is_unknown: data.ledger !== undefined && !ledgerIsOpen,
    line_items_do_not_add_up: !addsUp(data.lineItems ?? [], request.amount),
  })
  if (amendedSize + memorySize(data) > maxAmendmentsSize)
    return refuse('payment_is_amended_too_much')
  return [{ type: 'PaymentAmended', data }]
}

/** An expired payment is refused as expired, whether or not that is recorded. */
const checkPending = ({ status, statusCode, expiresAt }: RequestedPayment, at: Instant): void => {
  const isExpired =
    status === 'pending' ? at >= expiresAt : statusCode === statusCodes.REQUEST_EXPIRED
  if (isExpired) return refuse('payment_is_expired')
  if (status !== 'pending') return refuse('payment_is_not_pending')
}

export const decidePickUp = (
  { at, payer, scan }: Extract<PaymentCommand, { type: 'PickUpPayment' }>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  if (payment.scan === scan) return []
  if (!awaitsScan(payment)) return refuse('payment_is_picked_up')
  checkPending(payment, at)
  return [{ type: 'PaymentPickedUp', data: { payer, scan } }]
}

type AnswerCommand = Extract<
  PaymentCommand,
  { type: 'AuthorizePayment' | 'DeclinePayment' | 'RefuseFunds' }
>

const answerOf = (command: AnswerCommand, request: PaymentRequest): Answer => {
  switch (command.type) {
    case 'AuthorizePayment': {
      const { credit, additionalAmount } = command
      return {
        type: 'accepted',
        additionalAmount: additionalAmount ?? request.additionalAmount,
        credit,
      }
    }
    case 'DeclinePayment':
      return { type: 'declined' }
    case 'RefuseFunds':
      return { type: 'failed', statusCode: command.statusCode }
  }
}

export const decideAnswer = (
  command: AnswerCommand,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const { request, payer } = payment
  const answer = answerOf(command, request)
  if (awaitsScan(payment) && payment.status === 'pending') return refuse('payment_is_not_picked_up')
  if (payer !== null && payer !== command.payer) return refuse('payment_is_for_another_payer')
  if (payment.answer && jsonEquals(payment.answer, answer)) return []
  checkPending(payment, command.at)
  switch (answer.type) {
    case 'declined':
      return [{ type: 'PaymentDeclined', data: { payer: command.payer } }]
    case 'failed':
      return [{ type: 'PaymentFailed', data: { statusCode: answer.statusCode } }]
    case 'accepted': {
      const { additionalAmount, credit } = answer
      const isConfirmed = 'isConfirmed' in command && command.isConfirmed === true
      refuseFor(faultsOfAcceptance({ additionalAmount, isConfirmed, credit }, request))
      grossOf({ amount: request.amount, additionalAmount })
      const until = secondsAfter(command.at, authorizationLifetime)
      const data = { payer: command.payer, additionalAmount, credit, expiresAt: until }
      const permissions = 'permissions' in command ? command.permissions : undefined
      return [{ type: 'PaymentAuthorized', data: permissions ? { ...data, permissions } : data }]
    }
  }
}
