import { parseEvent, type DomainEvent, type Recorded } from '../../domain/events.ts'
import type { Currency } from '../../domain/money/currency.ts'
import { formatAmount, type Sum } from '../../domain/money/money.ts'
import { isPaymentEvent } from '../../domain/payment/payment-events.ts'
import { idIn } from '../../domain/stream.ts'
import type { EventStore } from '../../application/event-store.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { filledText } from '../../application/filled-text.ts'
import { paymentInWords } from './payment-words.ts'
import type { StoryTexts } from './texts.ts'

type Words = {
  readonly [Type in DomainEvent['type']]?: (
    data: Extract<DomainEvent, { type: Type }>['data'],
    texts: StoryTexts,
  ) => string
}

const sumInWords = (amount: Sum, currency: Currency): string =>
  `${formatAmount(amount, currency)} ${currency}`

const words: Words = {
  PermissionRequested: ({ request, payer, expiresAt }, texts) => {
    const whom = payer === null ? texts.nobodyKnown : filledText(texts.payer, payer)
    const [scope, until] = [request.scope.join(' '), formatDateTime(expiresAt)]
    return filledText(texts.asked, scope, whom, request.posId, request.posTid, until)
  },
  PermissionGranted: ({ payer, permissions }, { granted }) =>
    filledText(granted, payer, permissions.scope.join(' ')),
  PermissionDeclined: ({ payer }, { declined }) => filledText(declined, payer),
  PermissionFailed: (_, texts) => filledText(texts.failed, texts.failed_4004),
  PermissionExpired: (_, { expired }) => expired,
  LedgerScheduled: ({ closes }, texts) =>
    closes === 'by_hand'
      ? texts.ledgerByHand
      : filledText(texts.ledgerCloses, texts[`closes_${closes}`]),
  ReportClosed: ({ report }, { reportClosed }) => filledText(reportClosed, report, report + 1),
  ReportCompleted: ({ report }, { reportCompleted }) => filledText(reportCompleted, report),
  SettlementStarted: ({ settlementId }, texts) => filledText(texts.settlementStarted, settlementId),
  SettlementMade: ({ settlementId, payouts, payoutDay }, texts) => {
    const sums = payouts.map(({ payout, currency }) => sumInWords(payout, currency)).join(', ')
    return filledText(texts.settlementMade, settlementId, sums || texts.nothing, payoutDay)
  },
  PayoutOrdered: ({ messageId, payoutAccount, paid }, { payoutOrdered }) => {
    const sums = paid.map(({ amount, currency }) => sumInWords(amount, currency)).join(', ')
    return filledText(payoutOrdered, messageId, sums, payoutAccount)
  },
  PayoutPaid: ({ amount, currency, day }, { payoutPaid }) =>
    filledText(payoutPaid, sumInWords(amount, currency), day),
  PayoutReturned: ({ amount, currency, day, entry, reason }, texts) => {
    const why = [reason.code, reason.text].filter(Boolean).join(', ') || texts.payoutUnexplained
    const what = entry === null ? texts.payoutRefused : texts.payoutBack
    const sum = filledText(what, sumInWords(amount, currency))
    return filledText(texts.payoutReturned, sum, day, why)
  },
  AccountChangeAsked: ({ payoutAccount, takesEffectAt }, { accountChangeAsked }) =>
    filledText(accountChangeAsked, payoutAccount, formatDateTime(takesEffectAt)),
  AccountChangeAnnounced: ({ members }, { accountChangeAnnounced }) =>
    filledText(accountChangeAnnounced, members.length),
  AccountChangeWithdrawn: (_, { accountChangeWithdrawn }) => accountChangeWithdrawn,
  AccountChangeDone: (_, { accountChanged }) => accountChanged,
  OrganizationClaimed: ({ merchant }, { organizationClaimed }) =>
    filledText(organizationClaimed, merchant),
  OwnerChangeAsked: ({ member, terms, takesEffectAt }, { ownerRemovalAsked, ownerChangeAsked }) =>
    terms === null
      ? filledText(ownerRemovalAsked, member, formatDateTime(takesEffectAt))
      : filledText(ownerChangeAsked, member, terms.role, formatDateTime(takesEffectAt)),
  OwnerChangeAnnounced: ({ members }, { accountChangeAnnounced }) =>
    filledText(accountChangeAnnounced, members.length),
  OwnersNotified: ({ members }, { ownersNotified }) => filledText(ownersNotified, members.length),
  OwnerChangeWithdrawn: (_, { ownerChangeWithdrawn }) => ownerChangeWithdrawn,
  OwnerChangeDone: (_, { ownerChanged }) => ownerChanged,
  BankEntrySeen: ({ side, amount, currency, day, source }, texts) => {
    const sum = sumInWords(amount, currency)
    return filledText(texts.bankSeen, texts[`bank_${side}`], sum, day, source.kind)
  },
  BankEntryMatched: ({ payouts, as }, texts) =>
    filledText(texts.bankMatched, payouts.length, texts[`bank_${as}`]),
  BankEntryDismissed: ({ note }, { bankDismissed }) => filledText(bankDismissed, note),
  CallbackAttempted: (data, texts) => {
    const { uri, event, result, httpStatus, problem, durationMs, nextAttemptAt } = data
    const answer =
      httpStatus === null
        ? (problem ?? texts.callbackNone)
        : filledText(texts.callbackAnswered, httpStatus)
    const after = durationMs === undefined ? '' : filledText(texts.toldAfter, durationMs)
    const again =
      nextAttemptAt === null ? '' : filledText(texts.toldAgain, formatDateTime(nextAttemptAt))
    const tried = filledText(texts.callbackTried, event, uri, texts[`callback_${result}`], answer)
    return tried + after + again
  },
  CallbackRetryRequested: ({ event, nextAttemptAt }, { callbackRetry }) =>
    filledText(callbackRetry, event, formatDateTime(nextAttemptAt)),
  CheckpointSigned: ({ size }, { checkpoint }) => filledText(checkpoint, size),
}

/** `UserSecretChanged` as `user secret changed`. */
const asPhrase = (type: string): string =>
  type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()

/** Whether sentences tell of events of this type; of others a phrase does, in English. */
export const isInSentences = (type: string): boolean =>
  Object.hasOwn(words, type) || isPaymentEvent({ type })

/** An event as a sentence; the currency is that of its payment, and of no matter elsewhere. */
export const eventInWords = (event: Recorded, currency: Currency, texts: StoryTexts): string => {
  if (isPaymentEvent(event)) return paymentInWords(event, currency, texts)
  const own = words[event.type] as ((data: unknown, texts: StoryTexts) => string) | undefined
  return own?.(event.data, texts) ?? `${asPhrase(event.type)}: ${idIn(event.stream)}`
}

/** The currency of the event's payment; arbitrary for other events. */
export const currencyOf = async (
  { readStream }: Pick<EventStore, 'readStream'>,
  event: Recorded,
): Promise<Currency> => {
  if (!isPaymentEvent(event)) return ''
  const [stored] = event.type === 'PaymentRequested' ? [] : await readStream(event.stream, 0, 1)
  const first = stored ? parseEvent(stored) : event
  return first.type === 'PaymentRequested' ? first.data.request.currency : ''
}

/** The same, after looking up the payment. */
export const eventWithCurrencyInWords = async (
  store: Pick<EventStore, 'readStream'>,
  event: Recorded,
  texts: StoryTexts,
): Promise<string> => eventInWords(event, await currencyOf(store, event), texts)
