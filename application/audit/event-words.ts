import type { DomainEvent, Recorded } from '../../domain/events.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { isPaymentEvent } from '../../domain/payment/payment-events.ts'
import { idIn } from '../../domain/stream.ts'
import { formatDateTime } from '../date-time.ts'
import { paymentInWords } from './payment-words.ts'

type Words = {
  readonly [Type in DomainEvent['type']]?: (
    data: Extract<DomainEvent, { type: Type }>['data'],
  ) => string
}

const words: Words = {
  PermissionRequested: ({ request, payer, expiresAt }) =>
    `${request.scope.join(' ')} is asked of ${payer === null ? 'nobody known' : `payer ${payer}`}` +
    ` at ${request.posId} as ${request.posTid}, until ${formatDateTime(expiresAt)}`,
  PermissionGranted: ({ payer, permissions }) =>
    `payer ${payer} grants ${permissions.scope.join(' ')}`,
  PermissionDeclined: ({ payer }) => `payer ${payer} declines`,
  PermissionFailed: () => 'it fails: there is no such payer',
  PermissionExpired: () => 'nobody has answered in time',
  ReportClosed: ({ report }) =>
    `report ${report} is closed here: later lines are in report ${report + 1}`,
  ReportCompleted: ({ report }) => `the logs and sums of report ${report} are final`,
  SettlementStarted: ({ settlementId }) =>
    `${settlementId} takes every line up to here that no settlement has taken`,
  SettlementMade: ({ settlementId, payouts, payoutDay }) => {
    const sums = payouts.map(
      ({ payout, currency }) => `${formatAmount(payout, currency)} ${currency}`,
    )
    return `${settlementId} pays out ${sums.join(', ') || 'nothing'} on ${payoutDay}`
  },
  PayoutOrdered: ({ messageId, payoutAccount, paid }) => {
    const sums = paid.map(({ amount, currency }) => `${formatAmount(amount, currency)} ${currency}`)
    return `the bank is asked, in file ${messageId}, to pay ${sums.join(', ')} to ${payoutAccount}`
  },
  CallbackAttempted: ({ uri, event, result, httpStatus, problem, durationMs, nextAttemptAt }) => {
    const answer = httpStatus === null ? (problem ?? 'no answer') : `answered ${httpStatus}`
    const after = durationMs === undefined ? '' : ` after ${durationMs} ms`
    const again =
      nextAttemptAt === null ? '' : `, to be told again ${formatDateTime(nextAttemptAt)}`
    return `${event} to ${uri}: ${result}, ${answer}${after}${again}`
  },
  CallbackRetryRequested: ({ event, nextAttemptAt }) =>
    `${event} is to be told again at ${formatDateTime(nextAttemptAt)}`,
  CheckpointSigned: ({ size }) => `a checkpoint of the first ${size} events is signed`,
}

/** `UserSecretChanged` as `user secret changed`. */
const asPhrase = (type: string): string =>
  type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()

/** An event as a sentence. */
export const eventInWords = (event: Recorded, currency = 'NOK'): string => {
  if (isPaymentEvent(event)) return paymentInWords(event, currency)
  const own = words[event.type] as ((data: unknown) => string) | undefined
  return own?.(event.data) ?? `${asPhrase(event.type)}: ${idIn(event.stream)}`
}
