import type { Decider } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { decideDispute, decideDisputeEnd, decideEvidence } from './dispute.ts'
import {
  decideCapture,
  decideExpiry,
  decideRefund,
  decideRelease,
  decideRenewal,
} from './payment-actions.ts'
import type { PaymentCommand } from './payment-command.ts'
import type { PaymentEvent } from './payment-events.ts'
import { decideAmendment, decideAnswer, decidePickUp, decideRequest } from './payment-request.ts'
import type { Payment, RequestedPayment } from './payment-state.ts'
import { evolve } from './payment-evolve.ts'

const requested = (payment: Payment): RequestedPayment =>
  payment.status === 'unrequested' ? refuse('resource_is_unknown') : payment

const decide = (command: PaymentCommand, payment: Payment): readonly PaymentEvent[] => {
  switch (command.type) {
    case 'RequestPayment':
      return decideRequest(command, payment)
    case 'AmendPayment':
      return decideAmendment(command, requested(payment))
    case 'PickUpPayment':
      return decidePickUp(command, requested(payment))
    case 'AuthorizePayment':
    case 'DeclinePayment':
    case 'RefuseFunds':
      return decideAnswer(command, requested(payment))
    case 'CapturePayment':
      return decideCapture(command, requested(payment))
    case 'ReleasePayment':
      return decideRelease(command, requested(payment))
    case 'RenewPayment':
      return decideRenewal(command, requested(payment))
    case 'RefundPayment':
      return decideRefund(command, requested(payment))
    case 'OpenDispute':
      return decideDispute(command, requested(payment))
    case 'SendEvidence':
      return decideEvidence(command, requested(payment))
    case 'CloseDispute':
      return decideDisputeEnd(command, requested(payment))
    case 'ExpirePayment':
      return decideExpiry(command, requested(payment))
  }
}

export const payment: Decider<PaymentCommand, PaymentEvent, Payment> = {
  initial: { status: 'unrequested' },
  decide,
  evolve,
}
