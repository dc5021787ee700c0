import { payments } from '../domain/aggregates.ts'
import { fold } from '../domain/decider.ts'
import type { PaymentCommand } from '../domain/payment/payment-command.ts'
import type { PaymentEvent } from '../domain/payment/payment-events.ts'
import type { RequestedPayment } from '../domain/payment/payment-state.ts'
import type { Instant } from '../domain/time.ts'

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
