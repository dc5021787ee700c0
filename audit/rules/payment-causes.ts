import type { FeeTerms } from '../../domain/accounting/fees.ts'
import type { Causes, Circumstances } from './causes.ts'
import {
  latestOf,
  type Offer,
  type OfferCommand,
  type OfferEvent,
} from '../../domain/merchant/offer.ts'
import type { Pots } from '../../domain/money/money.ts'
import type {
  Customer,
  PaymentCommand,
  RequestedAmounts,
} from '../../domain/payment/payment-command.ts'
import type { PaymentDetails, PaymentEvent } from '../../domain/payment/payment-events.ts'
import type { Payment } from '../../domain/payment/payment-state.ts'
import { statusCodes } from '../../domain/payment/status.ts'
import type { FundingEvent, Funding, FundingCommand } from '../../domain/payment/funding.ts'

export type PaymentCircumstances = Circumstances<PaymentEvent, Payment>

/** Without a named payer, anyone may answer, or the customer is unknown and the payment fails. */
export const customersOf = (
  payer: string | null,
  shortlink: string | undefined,
): readonly Customer[] => {
  if (shortlink !== undefined) return [{ shortlink }]
  return payer === null ? ['unknown', 'anyone'] : [{ id: payer }]
}

export const requestedAmounts = (
  id: string | null,
  { amount, additionalAmount }: Pots,
  state: Payment,
): RequestedAmounts => {
  if (id === null || state.status === 'unrequested') return 'everything'
  return { id, amount, additionalAmount, currency: state.request.currency }
}

export const termsOf = ({ state, facts }: PaymentCircumstances): readonly FeeTerms[] =>
  state.status === 'unrequested'
    ? []
    : facts.termsOf(state.request.merchant, state.request.currency)

export const payerOf = ({ state }: PaymentCircumstances): string =>
  (state.status === 'unrequested' ? null : state.payer) ?? ''

/** The possible commands behind each event. */
export const paymentCauses: Causes<PaymentCommand, PaymentEvent, Payment> = {
  PaymentRequested: ({ request, payer, shortlink }, { id, at, facts }) => {
    const { merchant, posId, posTid, ledger } = request
    if (facts.tidOf(merchant, posId, posTid) !== id) return 'the payment is not that of its pos_tid'
    const posIsKnown = facts.posIsKnown(merchant, posId)
    const ledgerIsOpen = facts.ledgerIsOpen(merchant, ledger)
    return customersOf(payer, shortlink).map((customer) => {
      const known = { payer: customer, posIsKnown, ledgerIsOpen }
      return { type: 'RequestPayment', at, request, facts: known }
    })
  },
  PaymentPickedUp: (data, { at }) => [{ type: 'PickUpPayment', at, ...data }],
  PaymentAmended: (changes, { state, facts }) => {
    const merchant = state.status === 'unrequested' ? '' : state.request.merchant
    const { ledger } = changes
    const ledgerIsOpen = ledger === undefined || facts.ledgerIsOpen(merchant, ledger)
    return [{ type: 'AmendPayment', changes: changes as Partial<PaymentDetails>, ledgerIsOpen }]
  },
  PaymentAuthorized: ({ payer, additionalAmount, credit, permissions }, { at }) => {
    // Whether a payer confirmed a high additional amount is not recorded.
    const given = { payer, additionalAmount, credit, isConfirmed: true }
    const answer = { type: 'AuthorizePayment', at, ...given } as const
    return [permissions ? { ...answer, permissions } : answer]
  },
  PaymentDeclined: ({ payer }, { at }) => [{ type: 'DeclinePayment', at, payer }],
  PaymentFailed: ({ statusCode }, accepted) =>
    statusCode === statusCodes.NOT_FOUND
      ? 'only a request fails because the customer is unknown, at once'
      : [{ type: 'RefuseFunds', at: accepted.at, payer: payerOf(accepted), statusCode }],
  PaymentAborted: (_, { at }) => [{ type: 'ReleasePayment', at }],
  PaymentExpired: (_, { at }) => [{ type: 'ExpirePayment', at }],
  PaymentCaptured: ({ captureId, ...pots }, about) => {
    const wanted = requestedAmounts(captureId, pots, about.state)
    return termsOf(about).map((terms) => ({ type: 'CapturePayment', at: about.at, wanted, terms }))
  },
  PaymentReleased: (_, { at }) => [{ type: 'ReleasePayment', at }],
  PaymentRenewed: (_, { at }) => [{ type: 'RenewPayment', at }],
  PaymentAuthorizationExpired: (_, { at }) => [{ type: 'ExpirePayment', at }],
  PaymentRefunded: ({ refundId, text, ...pots }, given) => {
    const wanted = requestedAmounts(refundId, pots, given.state)
    return termsOf(given).map((terms) => ({ type: 'RefundPayment', wanted, text, terms }))
  },
  PaymentDisputed: ({ charge, amount, additionalAmount, currency: _, ...data }, about) => {
    const said = { ...data, at: about.at, gross: amount + additionalAmount, fee: charge.fee }
    return termsOf(about).map((terms) => ({ type: 'OpenDispute', ...said, terms }))
  },
  PaymentEvidenceSent: ({ dispute, attachments }, { at }) => {
    const contents = attachments.map(({ id: _, ...content }) => content)
    return [{ type: 'SendEvidence', at, dispute, contents }]
  },
  PaymentDisputeWon: ({ dispute }) => [{ type: 'CloseDispute', dispute, outcome: 'won' }],
  PaymentDisputeLost: ({ dispute }) => [{ type: 'CloseDispute', dispute, outcome: 'lost' }],
}

export const fundingCauses: Causes<FundingCommand, FundingEvent, Funding> = {
  FundingInformed: ({ position }) => [{ type: 'NoteInformed', position }],
}

export const offerCauses: Causes<OfferCommand, OfferEvent, Offer> = {
  OfferMade: (offer) => [{ type: 'MakeOffer', offer }],
  OfferStockChanged: (data) => [{ type: 'ChangeStock', ...data }],
  OfferEnded: () => [{ type: 'EndOffer' }],
  OfferTaken: (data, { at, state, facts }) => {
    if (state.status === 'absent') return 'nothing was offered'
    const { merchant, posId } = state.offer
    if (facts.tidOf(merchant, posId, data.posTid) !== data.tid)
      return 'the payment is not that of its pos_tid'
    return [{ type: 'TakeOffer', at, after: latestOf(state, data.payer)?.tid ?? null, ...data }]
  },
  OfferGivenBack: (data, { facts }) =>
    facts.endedUnpaid(data.tid)
      ? [{ type: 'GiveBackOffer', ...data }]
      : 'its payment is not over, or something of it was captured',
}
