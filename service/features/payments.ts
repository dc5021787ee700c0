import type { DueWork } from '../../application/schedule.ts'
import type { Work } from '../background-work.ts'
import { acceptPayment } from '../../application/answer-payment.ts'
import { captureAccepted } from '../../application/capture-accepted.ts'
import { expirePayments } from '../../application/expire-requests.ts'
import type { FundingSource } from '../../application/funding.ts'
import { informFunding } from '../../application/inform-funding.ts'
import { requestPayment } from '../../application/request-payment.ts'
import { sellOffers } from '../../application/sell-offers.ts'
import { takePayment } from '../../application/take-payment.ts'
import type { Links } from '../../http/addresses.ts'
import { makeAttachmentLink } from '../../http/merchant/attachment.ts'
import { sealedBlobs } from '../../infrastructure/people/sealing.ts'
import { makePngCheck } from '../../infrastructure/pictures/png-client.ts'
import type { About } from '../about.ts'
import type { Core } from '../core.ts'
import type { Granted } from '../people/grants.ts'
import type { MerchantSlice } from './merchants.ts'

/** Notifies the funding source, if it wants to know of movements. */
const informing = async (core: Core, { movements }: FundingSource) =>
  movements &&
  informFunding({
    store: core.store,
    handle: core.handle,
    share: core.shares.funding,
    find: core.find,
    movements,
    context: () => core.contextOf('daybook'),
    outageOf: core.outagesOf('notifying the funding source of'),
  })

type Identifying = Pick<MerchantSlice, 'identify' | 'awaitScan'>

/** Payment links that many may pay. */
const selling = (
  core: Core,
  request: ReturnType<typeof requestPayment>,
  { identify, awaitScan }: Identifying,
) => {
  const { handle, find, tidOf, derive, caughtUp, newId } = core
  const share = core.shares.merchants
  return sellOffers({
    handle,
    find,
    share,
    rows: core.merchants.offers,
    tidOf,
    derive,
    requestPayment: request,
    requestInShare: requestPayment({
      handle: share.handle,
      find,
      tidOf,
      identify,
      awaitScan,
    }),
    caughtUp,
    newId,
    outageOf: core.outagesOf('keeping the stock of a link for payment'),
  })
}

type Parts = {
  readonly links: Links
  readonly funding: FundingSource
  readonly merchants: Identifying
  readonly granted: Granted
}

const tellFunding = (due: DueWork): Work => ({
  name: 'tell_funding',
  due,
  sendsMessages: true,
  lease: 'funding',
})

/**
 * Payments. They expire, are captured and told to funding sources, in the background.
 * Long because it is the list of what they need.
 */
export const paymentSlice = async (
  core: Core,
  { names }: Pick<About, 'names'>,
  { links, funding, merchants: { identify, awaitScan }, granted: { views } }: Parts,
) => {
  const { handle, find, tidOf, caughtUp, newId, tokens, vault, payments } = core
  const inform = await informing(core, funding)
  const expire = expirePayments({
    share: core.shares.merchants,
    rows: payments.payments,
    caughtUp,
    newId,
    outageOf: core.outagesOf('expiring payment'),
  })
  const capture = captureAccepted({
    share: core.shares.merchants,
    rows: payments.payments,
    find,
    findTerms: core.findTerms,
    caughtUp,
    newId,
    outageOf: core.outagesOf('capturing payment'),
  })
  const request = requestPayment({ handle, find, tidOf, identify, awaitScan })
  const offers = selling(core, request, { identify, awaitScan })
  return {
    openOffer: offers.openOffer,
    takeOffer: offers.takeOffer,
    acceptPayment: acceptPayment({ handle, find, funding, tokens }),
    takePayment: takePayment({ handle, find, requestPayment: request }),
    needs: {
      names,
      links,
      attachmentLink: makeAttachmentLink({ links, sign: tokens.sign }),
      handle,
      find,
      caughtUp,
      securityLog: core.securityLog,
      sign: tokens.sign,
      isSigned: tokens.isSigned,
      attachments: payments.attachments,
      disputes: payments.disputes,
      attachedContents: sealedBlobs(core.blobs, vault),
      problemOfPng: makePngCheck().problemOf,
      hasPerson: vault.hasPerson,
      findOutcome: views.findOutcome,
      findRequested: views.findRequested,
      findTerms: core.findTerms,
      reportHolding: core.reportHolding,
      lists: payments.lists,
      tidOf,
      keyOfCustomer: core.payerDirectory.keyNamed,
      showCustomer: core.payerDirectory.show,
      requestPayment: request,
    },
    work: [
      { name: 'expire_payments', due: expire, lease: 'merchants' as const },
      { name: 'sell_offers', due: offers.work, lease: 'merchants' as const },
      { name: 'capture_automatically', due: capture, lease: 'merchants' as const },
      ...(inform ? [tellFunding(inform)] : []),
    ],
  }
}

export type PaymentSlice = Awaited<ReturnType<typeof paymentSlice>>
