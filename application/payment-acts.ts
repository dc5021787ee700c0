import { payments } from '../domain/aggregates.ts'
import { fold } from '../domain/decider.ts'
import type { PaymentCommand } from '../domain/payment/payment-command.ts'
import type { PaymentEvent } from '../domain/payment/payment-events.ts'
import type { RequestedPayment } from '../domain/payment/payment-state.ts'
import type { Instant } from '../domain/time.ts'
import type { FindTerms } from './fee-book.ts'

/** What a merchant does with an authorised payment: a command without its time and fee terms. */
export type PaymentAct =
  | { readonly type: 'ReleasePayment' | 'RenewPayment' }
  | Omit<Extract<PaymentCommand, { readonly type: 'CapturePayment' }>, 'at' | 'terms'>
  | Omit<Extract<PaymentCommand, { readonly type: 'RefundPayment' }>, 'terms'>

/** The command of an act, with the fees that the merchant pays for it. */
export const paymentCommand = async (
  { findTerms }: { readonly findTerms: FindTerms },
  { merchant, currency }: Pick<RequestedPayment['request'], 'merchant' | 'currency'>,
  act: PaymentAct,
  at: Instant,
): Promise<PaymentCommand> => {
  if (!('wanted' in act)) return { ...act, at }
  const terms = await findTerms(merchant, currency, at)
  return act.type === 'CapturePayment' ? { ...act, at, terms } : { ...act, terms }
}

export type PaymentPreview = {
  /** Empty if the command has already taken effect. */
  readonly events: readonly PaymentEvent[]
  readonly after: RequestedPayment
}

/** What a command would do to a payment, without appending. @throws Refusal */
export const previewPayment = (
  payment: RequestedPayment,
  command: PaymentCommand,
  at: Instant,
): PaymentPreview => {
  const { decider } = payments
  const events = decider.decide(command, payment)
  const after = fold(decider, events, payment, { at, position: payment.linePosition })
  return { events, after: after as RequestedPayment }
}
