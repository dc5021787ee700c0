import type { PaymentEvent } from '../domain/payment/payment-events.ts'
import { potsOf, type Entry, type Line, type LogEvent, type Pots } from './payment-entry.ts'

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
export const linesOf = (
  entry: Entry,
  event: LogEvent,
  at: number,
  report: number,
): readonly Line[] => {
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
