import { acceptPayment } from '../../application/answer-payment.ts'
import { expirePayments } from '../../application/expire-requests.ts'
import type { FundingSource } from '../../application/funding.ts'
import { informFunding } from '../../application/inform-funding.ts'
import type { MerchantViews } from '../../application/merchant-views.ts'
import { requestPayment } from '../../application/request-payment.ts'
import type { Core } from '../core.ts'
import { sealedBlobs } from '../../infrastructure/people/sealed-blobs.ts'
import { makePngCheck } from '../../infrastructure/pictures/png-client.ts'
import type { MerchantSlice } from './merchants.ts'

/** Payments. They expire, and funding sources are notified, in the background. */
export const paymentSlice = async (
  core: Core,
  funding: FundingSource,
  { identify, awaitScan }: MerchantSlice,
  { findOutcome, findRequested }: MerchantViews,
) => {
  const { payments, outagesOf } = core
  const { tokens, vault } = core.people
  const { movements } = funding
  const inform =
    movements &&
    (await informFunding({
      ...{ ...core, movements, share: core.shares.funding },
      context: () => core.contextOf('daybook'),
      outageOf: outagesOf('notifying the funding source of'),
    }))
  const rows = payments.payments
  const share = core.shares.merchants
  const expire = expirePayments({ ...core, share, rows, outageOf: outagesOf('expiring payment') })
  return {
    acceptPayment: acceptPayment({ ...core, funding, tokens }),
    needs: {
      ...{ ...payments, findOutcome, findRequested, hasPerson: vault.hasPerson },
      findTerms: core.accounting.findTerms,
      problemOfPng: makePngCheck().problemOf,
      attachedContents: sealedBlobs(core.merchants.blobs, vault),
      requestPayment: requestPayment({ ...core, ...payments, identify, awaitScan }),
    },
    work: [
      { due: expire, lease: 'merchants' as const },
      ...(inform ? [{ due: inform, sendsMessages: true, lease: 'funding' as const }] : []),
    ],
  }
}

export type PaymentSlice = Awaited<ReturnType<typeof paymentSlice>>
