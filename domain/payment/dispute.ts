import { chargeForDispute, grossOf } from '../accounting/fees.ts'
import { attachments } from '../merchant/attachment.ts'
import { potsOf } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import type { Instant } from '../time.ts'
import type { PaymentCommand } from './payment-command.ts'
import type { PaymentEvent } from './payment-events.ts'
import { refundable, type Dispute, type RequestedPayment } from './payment-state.ts'

type CommandOf<Type extends PaymentCommand['type']> = Extract<PaymentCommand, { type: Type }>

/** Characters. */
export const longestReason = 1_000

/** Maximum number of disputes per payment. */
export const maxDisputes = 100

/** The id of a dispute everywhere outside of its payment. */
export const disputeId = (tid: string, number: number): string => `${tid}-${number}`

/** The payment and the number of a dispute; undefined for any other text. */
export const readDisputeId = (id: string): readonly [tid: string, number: number] | undefined => {
  const [, tid, number] = /^(.+)-([1-9]\d{0,2})$/.exec(id) ?? []
  return tid === undefined ? undefined : [tid, Number(number)]
}

export type DisputeEvent = Extract<PaymentEvent, { data: { dispute: number } }>

/** A dispute after one of its events; undefined if it was never opened. */
export const evolveDispute = (
  before: Dispute | undefined,
  { type, data }: DisputeEvent,
  at: Instant,
): Dispute | undefined => {
  switch (type) {
    case 'PaymentDisputed': {
      const { reason, due, charge } = data
      const about = { ...potsOf(data), reason, due, charge, openedAt: at }
      return { ...about, state: 'open', evidence: [], closedAt: null }
    }
    case 'PaymentEvidenceSent': {
      const sent = data.attachments.map((attachment) => ({ ...attachment, at }))
      return (
        before && { ...before, state: 'evidence_sent', evidence: [...before.evidence, ...sent] }
      )
    }
    case 'PaymentDisputeWon':
      return before && { ...before, state: 'won', closedAt: at }
    case 'PaymentDisputeLost':
      return before && { ...before, state: 'lost', closedAt: at }
  }
}

export const isClosed = ({ state }: Pick<Dispute, 'state'>): boolean =>
  state === 'won' || state === 'lost'

/** Takes from the amount first, then from the additional amount. */
export const decideDispute = (
  command: CommandOf<'OpenDispute'>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const { at, dispute, reason, due, fee, terms } = command
  const { disputes, request } = payment
  const left = refundable(payment)
  const earlier = disputes[dispute - 1]
  const gross = command.gross ?? grossOf(earlier ?? left)
  if (earlier?.reason === reason && grossOf(earlier) === gross) return []
  if (dispute !== disputes.length + 1) return refuse('conflicting_changes')
  if (gross < 1 || gross > grossOf(left)) return refuse('dispute_exceeds_captures')
  if (due <= at) return refuse('due_is_past')
  if (disputes.length >= maxDisputes) return refuse('disputes_are_too_many')
  const amount = Math.min(gross, left.amount)
  const pots = { amount, additionalAmount: gross - amount }
  const charge = chargeForDispute(fee, terms)
  const data = { dispute, currency: request.currency, ...pots, reason, due, charge }
  return [{ type: 'PaymentDisputed', data }]
}

const disputeIn = ({ disputes }: RequestedPayment, number: number): Dispute =>
  disputes[number - 1] ?? refuse('resource_is_unknown')

/** The same content again adds nothing. */
export const decideEvidence = (
  { at, dispute: number, contents }: CommandOf<'SendEvidence'>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const dispute = disputeIn(payment, number)
  const uploaded = attachments.decide({ type: 'UploadAttachments', contents }, dispute.evidence)
  if (uploaded.length === 0) return []
  if (isClosed(dispute)) return refuse('dispute_is_closed')
  if (at >= dispute.due) return refuse('dispute_is_past_due')
  return uploaded.map(({ data }) => ({
    type: 'PaymentEvidenceSent',
    data: { dispute: number, ...data },
  }))
}

export const decideDisputeEnd = (
  { dispute: number, outcome }: CommandOf<'CloseDispute'>,
  payment: RequestedPayment,
): readonly PaymentEvent[] => {
  const dispute = disputeIn(payment, number)
  const { state, amount, additionalAmount } = dispute
  if (state === outcome) return []
  if (isClosed(dispute)) return refuse('dispute_is_closed')
  if (outcome === 'lost') return [{ type: 'PaymentDisputeLost', data: { dispute: number } }]
  const { taxcode } = dispute.charge
  const charge = { fee: 0, interchange: 0, vat: 0, taxcode }
  const data = { dispute: number, amount, additionalAmount, charge }
  return [{ type: 'PaymentDisputeWon', data }]
}
