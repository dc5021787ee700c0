import { parseEvent, type DomainEvent, type Recorded } from '../../domain/events.ts'
import type { Currency } from '../../domain/money/currency.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { isPaymentEvent } from '../../domain/payment/payment-events.ts'
import { idIn } from '../../domain/stream.ts'
import type { EventStore } from '../event-store.ts'
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
  LedgerScheduled: ({ closes }) =>
    closes === 'by_hand' ? 'reports close by hand' : `reports close by themselves, ${closes}`,
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
  PayoutPaid: ({ amount, currency, day }) =>
    `the bank has paid ${formatAmount(amount, currency)} ${currency} on ${day}`,
  PayoutReturned: ({ amount, currency, day, entry, reason }) => {
    const why = [reason.code, reason.text].filter(Boolean).join(', ') || 'without a reason'
    const sum = `${formatAmount(amount, currency)} ${currency}`
    const what = entry === null ? `the bank refuses to pay ${sum}` : `${sum} came back`
    return `${what} on ${day}: ${why}; it is due again`
  },
  AccountChangeAsked: ({ payoutAccount, takesEffectAt }) =>
    `payouts are to go to ${payoutAccount} from ${formatDateTime(takesEffectAt)} on`,
  AccountChangeAnnounced: ({ members }) => `${members.length} owners were told of the change`,
  AccountChangeWithdrawn: () => 'the change of the account is withdrawn',
  AccountChangeDone: () => 'the account is changed, as it was asked a day before',
  BankEntrySeen: ({ side, amount, currency, day, source }) =>
    `a ${side} of ${formatAmount(amount, currency)} ${currency} on ${day} by ${source.kind}`,
  BankEntryMatched: ({ payouts, as }) =>
    `the entry is that of payouts (${payouts.length}), which are ${as}`,
  BankEntryDismissed: ({ note }) => `the entry is of no payout: ${note}`,
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

/** An event as a sentence; the currency is that of its payment, and of no matter elsewhere. */
export const eventInWords = (event: Recorded, currency: Currency): string => {
  if (isPaymentEvent(event)) return paymentInWords(event, currency)
  const own = words[event.type] as ((data: unknown) => string) | undefined
  return own?.(event.data) ?? `${asPhrase(event.type)}: ${idIn(event.stream)}`
}

/** The currency of the payment that an event is of; of other events it is of no matter. */
export const currencyOf = async (
  { readStream }: Pick<EventStore, 'readStream'>,
  event: Recorded,
): Promise<Currency> => {
  if (!isPaymentEvent(event)) return ''
  const [stored] = event.type === 'PaymentRequested' ? [] : await readStream(event.stream, 0, 1)
  const first = stored ? parseEvent(stored) : event
  return first.type === 'PaymentRequested' ? first.data.request.currency : ''
}

/** The same, when its payment has yet to be looked up. */
export const eventWithCurrencyInWords = async (
  store: Pick<EventStore, 'readStream'>,
  event: Recorded,
): Promise<string> => eventInWords(event, await currencyOf(store, event))
