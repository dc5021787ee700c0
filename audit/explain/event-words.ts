import { parseEvent, type DomainEvent, type Recorded } from '../../domain/events.ts'
import type { Currency } from '../../domain/money/currency.ts'
import { addUp } from '../../domain/money/money.ts'
import { isPaymentEvent } from '../../domain/payment/payment-events.ts'
import { idIn } from '../../domain/stream.ts'
import type { EventStore } from '../../application/event-store.ts'
import type { StoryTexts } from './story-forms.ts'
import { paymentInWords } from './payment-words.ts'
import { sources } from '../../texts/generated/texts.ts'
import { filledText } from '../../texts/message.ts'

/** Words of ours that texts begin with, apart from identifiers that stand first. */
const firstWords = new Set(
  Object.values(sources).flatMap(({ story }) =>
    Object.values(story).flatMap((text) => /^\p{Ll}+(?= |$)/u.exec(text) ?? []),
  ),
)

export const withCapital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** With a capital, unless it begins with an identifier or a value: commands print it without. */
export const asSentence = (says: string): string => {
  const [first = ''] = /^\p{Ll}+(?=[ ,;:]|$)/u.exec(says) ?? []
  return firstWords.has(first) ? withCapital(says) : says
}

type Words = {
  readonly [Type in DomainEvent['type']]?: (
    data: Extract<DomainEvent, { type: Type }>['data'],
    texts: StoryTexts,
  ) => string
}

const words: Words = {
  PermissionRequested: ({ request, payer, expiresAt }, texts) => {
    const whom = payer === null ? texts.nobodyKnown : texts.payer({ id: payer })
    const [scope, until] = [request.scope.join(' '), texts.as.time(expiresAt)]
    return texts.asked({
      what: scope,
      whom,
      pos: request.posId,
      order: request.posTid,
      time: until,
    })
  },
  PermissionGranted: ({ payer, permissions }, { granted }) =>
    granted({ payer, scope: permissions.scope.join(' ') }),
  PermissionDeclined: ({ payer }, { declined }) => declined({ payer }),
  PermissionFailed: (_, texts) => texts.failed({ reason: texts.failed_4004 }),
  PermissionExpired: (_, { expired }) => expired,
  LedgerScheduled: ({ closes }, texts) =>
    closes === 'by_hand'
      ? texts.ledgerByHand
      : texts.ledgerCloses({ often: texts[`closes_${closes}`] }),
  ReportClosed: ({ report }, { reportClosed }) => reportClosed({ report, next: report + 1 }),
  ReportCompleted: ({ report }, { reportCompleted }) => reportCompleted({ report }),
  SettlementStarted: ({ settlementId }, texts) =>
    texts.settlementStarted({ settlement: settlementId }),
  SettlementMade: ({ settlementId, payouts, payoutDay }, texts) => {
    const sums = payouts.map(({ payout, currency }) => texts.as.sum(currency, payout)).join(', ')
    return texts.settlementMade({
      settlement: settlementId,
      sums: sums || texts.nothing,
      day: texts.as.day(payoutDay),
    })
  },
  PayoutOrdered: ({ messageId, payoutAccount, paid }, texts) => {
    const sums = paid.map(({ amount, currency }) => texts.as.sum(currency, amount)).join(', ')
    return texts.payoutOrdered({ file: messageId, sums, account: payoutAccount })
  },
  PayoutPaid: ({ amount, currency, day }, texts) =>
    texts.payoutPaid({ sum: texts.as.sum(currency, amount), day: texts.as.day(day) }),
  PayoutReturned: ({ amount, currency, day, entry, reason }, texts) => {
    const why = [reason.code, reason.text].filter(Boolean).join(', ') || texts.payoutUnexplained
    const what = entry === null ? texts.payoutRefused : texts.payoutBack
    const sum = filledText(what, { sum: texts.as.sum(currency, amount) })
    return texts.payoutReturned({ what: sum, day: texts.as.day(day), reason: why })
  },
  AccountChangeAsked: ({ payoutAccount, takesEffectAt }, texts) =>
    texts.accountChangeAsked({ account: payoutAccount, time: texts.as.time(takesEffectAt) }),
  AccountChangeAnnounced: ({ members }, { accountChangeAnnounced }) =>
    accountChangeAnnounced({ count: members.length }),
  AccountChangeWithdrawn: (_, { accountChangeWithdrawn }) => accountChangeWithdrawn,
  AccountChangeDone: (_, { accountChanged }) => accountChanged,
  OrganizationClaimed: ({ merchant }, { organizationClaimed }) => organizationClaimed({ merchant }),
  OwnerChangeAsked: ({ member, terms, takesEffectAt }, texts) =>
    terms === null
      ? texts.ownerRemovalAsked({ owner: member, time: texts.as.time(takesEffectAt) })
      : texts.ownerChangeAsked({
          owner: member,
          role: terms.role,
          time: texts.as.time(takesEffectAt),
        }),
  OwnerChangeAnnounced: ({ members }, { accountChangeAnnounced }) =>
    accountChangeAnnounced({ count: members.length }),
  OwnersNotified: ({ members }, { ownersNotified }) => ownersNotified({ count: members.length }),
  OwnerChangeWithdrawn: (_, { ownerChangeWithdrawn }) => ownerChangeWithdrawn,
  OwnerChangeDone: (_, { ownerChanged }) => ownerChanged,
  BankEntrySeen: ({ side, amount, currency, day, source }, texts) => {
    const sum = texts.as.sum(currency, amount)
    return texts.bankSeen({
      side: texts[`bank_${side}`],
      sum,
      day: texts.as.day(day),
      source: source.kind,
    })
  },
  BankEntryMatched: ({ payouts, as }, texts) =>
    texts.bankMatched({ count: payouts.length, state: texts[`bank_${as}`] }),
  CorrectionProposed: ({ amount, currency, ledger, reason, isWriteOff, invoice }, texts) => {
    const sum = texts.as.sum(currency, amount)
    if (invoice?.paid)
      return texts.invoicePaid({ sum, day: texts.as.day(invoice.paid.day), invoice: invoice.id })
    return isWriteOff
      ? texts.writeOffProposed({ sum, reason })
      : texts.correctionProposed({ sum, ledger, reason })
  },
  CorrectionApproved: ({ amount, currency }, texts) =>
    texts.correctionApproved({ sum: texts.as.sum(currency, amount) }),
  CorrectionTurnedDown: (_, { correctionTurnedDown }) => correctionTurnedDown,
  DebtWrittenOff: ({ fees, refunds, currency, reason }, texts) =>
    texts.debtWrittenOff({ sum: texts.as.sum(currency, addUp(fees, refunds)), reason }),
  DebtBilled: ({ fees, refunds, currency, invoiceId }, texts) =>
    texts.debtBilled({ sum: texts.as.sum(currency, addUp(fees, refunds)), invoice: invoiceId }),
  InvoicePaid: ({ amount, currency, day, invoiceId }, texts) =>
    texts.invoicePaid({
      sum: texts.as.sum(currency, amount),
      day: texts.as.day(day),
      invoice: invoiceId,
    }),
  BankEntryDismissed: ({ note }, { bankDismissed }) => bankDismissed({ note }),
  FundingReceiptSeen: ({ side, amount, currency, day, source }, texts) => {
    const sum = texts.as.sum(currency, amount)
    return texts.bankSeen({
      side: texts[`bank_${side}`],
      sum,
      day: texts.as.day(day),
      source: source.kind,
    })
  },
  FundingReceiptPlaced: ({ place, sameAs, currency }, texts) => {
    if (!place) return sameAs === null ? texts.fundingNowhere : texts.fundingSame
    const sum = texts.as.sum(currency, place.received)
    return texts.fundingPlaced({ sum, day: texts.as.day(place.day), payment: place.tid ?? 'none' })
  },
  FundingDifferenceTaken: ({ note }, { fundingTaken }) => fundingTaken({ note: note ?? 'none' }),
  FundingFeeWithheld: ({ fee, currency }, texts) =>
    texts.fundingFee({ sum: texts.as.sum(currency, fee) }),
  FundingDifferenceClosed: ({ amount, currency, reason }, texts) =>
    texts.fundingClosed({ sum: texts.as.sum(currency, amount), reason }),
  CallbackAttempted: (data, texts) => {
    const { uri, event, result, httpStatus, problem, durationMs, nextAttemptAt } = data
    const answer =
      httpStatus === null
        ? problem === null
          ? texts.callbackNone
          : texts.as.problem(problem)
        : texts.callbackAnswered({ status: httpStatus })
    return texts.callbackTried({
      event,
      address: uri,
      result: texts[`callback_${result}`],
      answer,
      ms: durationMs ?? 'none',
      again: nextAttemptAt === null ? 'none' : texts.as.time(nextAttemptAt),
    })
  },
  CallbackRetryRequested: ({ event, nextAttemptAt }, texts) =>
    texts.callbackRetry({ event, time: texts.as.time(nextAttemptAt) }),
  OfferMade: ({ amount, currency, text, until, stock, posId }, texts) =>
    texts.offerMade({
      sum: texts.as.sum(currency, amount),
      text,
      pos: posId,
      time: until === null ? 'none' : texts.as.time(until),
      stock: stock ?? 'none',
    }),
  OfferStockChanged: ({ stock }, texts) => texts.offerStock({ stock: stock ?? 'none' }),
  OfferEnded: (_, { offerEnded }) => offerEnded,
  OfferTaken: ({ payer, tid }, { offerTaken }) => offerTaken({ payer, payment: tid }),
  OfferGivenBack: ({ tid }, { offerGivenBack }) => offerGivenBack({ payment: tid }),
  CheckpointSigned: ({ size }, { checkpoint }) => checkpoint({ count: size }),
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

/** Opens a sealed address; undefined without the vault. */
export type OpenAddress = (sealed: string) => string | undefined

/** How an actor is named that has no id, and by its kind one that has. */
const names = {
  daybook: 'who_daybook',
  operator: 'who_operator',
  sandbox: 'who_sandbox',
  payer: 'who_newPayer',
  attachment_uri: 'who_attachment_uri',
} as const

const kinds = {
  user: 'who_user',
  integrator: 'who_integrator',
  payer: 'who_payer',
  client: 'who_client',
  auditor: 'who_auditor',
  operator: 'who_operatorAs',
  staff: 'who_staff',
} as const

const nameOf = (actor: string, merchant: string | null, texts: StoryTexts): string => {
  const [kind = '', ...rest] = actor.split(':')
  const id = rest.join(':')
  if (rest.length === 0) return actor in names ? texts[names[actor as keyof typeof names]] : actor
  if (!(kind in kinds)) return actor
  if (kind === 'user' && merchant !== null) return texts.who_userOf({ id, merchant })
  return filledText(texts[kinds[kind as keyof typeof kinds]], { id })
}

/** Who caused an event, and how that is known. */
export const whoCaused = (
  { metadata }: Recorded,
  openAddress: OpenAddress,
  texts: StoryTexts,
): string => {
  const { actor, merchant, signed, from, operator } = metadata
  const who = nameOf(actor, merchant, texts)
  if (operator) return texts.whoOn({ who, account: operator.account, machine: operator.machine })
  if (signed) return texts.whoSigned({ who, key: signed.key })
  if (from === undefined) return who
  return texts.whoSecret({ who, address: openAddress(from) ?? texts.whoSealed })
}

/** What made it happen. */
export const whyCaused = ({ type, data, metadata }: Recorded, texts: StoryTexts): string => {
  const { correlationId, causationId, actor } = metadata
  switch (type) {
    case 'PaymentExpired':
    case 'PaymentAuthorizationExpired':
    case 'PermissionExpired':
      return texts.whyOver({ time: texts.as.time(data.expiredAt) })
    case 'SettlementStarted':
      if (data.dueAt === null) return texts.byHand
      return texts.whyDue({ time: texts.as.time(data.dueAt) })
    case 'ReportClosed': {
      if (!data.due) break
      const { closes, at } = data.due
      return texts.whyLedger({ often: texts[`closes_${closes}`], time: texts.as.time(at) })
    }
    case 'SettlementMade':
    case 'ReportCompleted':
      return texts.whyReady
    case 'CallbackAttempted':
      return texts.callbackWhy({ event: data.event })
  }
  if (causationId !== null) return texts.whyEvent({ event: causationId })
  return actor === 'operator' ? texts.byCommand : texts.whyRequest({ id: correlationId })
}
