import { randomUUID } from 'node:crypto'
import { acceptPayment } from '../../application/answer-payment.ts'
import { expirePayments } from '../../application/expire-requests.ts'
import type { FundingSource } from '../../application/funding.ts'
import { informFunding } from '../../application/inform-funding.ts'
import type { MerchantViews } from '../../application/merchant-views.ts'
import { requestPayment } from '../../application/request-payment.ts'
import type { Work } from '../background-work.ts'
import type { Core } from '../core.ts'
import { sealedBlobs } from '../people/sealed-blobs.ts'
import { makePngCheck } from '../pictures/png-client.ts'
import type { MerchantSlice } from './merchants.ts'

/** Payments. They expire, and funding sources hear of their money, beside the requests. */
export const paymentSlice = async (
  core: Core,
  funding: FundingSource,
  { identify, awaitScan }: MerchantSlice,
  { findOutcome, findRequested }: MerchantViews,
) => {
  const { handle, find, store, payments } = core
  const { tokens, vault } = core.people
  const expire = expirePayments({
    handle,
    rows: payments.payments,
    caughtUp: core.readModels.caughtUp,
    newId: randomUUID,
    outageOf: core.outagesOf('expiring payment'),
  })
  const { movements } = funding
  const inform =
    movements &&
    (await informFunding({
      store,
      handle,
      find,
      movements,
      context: () => core.contextOf('daybook'),
      outageOf: core.outagesOf('telling the funding'),
    }))
  const work: Work[] = [{ due: expire }]
  return {
    acceptPayment: acceptPayment({ handle, find, funding, tokens }),
    needs: {
      ...payments,
      findOutcome,
      findRequested,
      findTerms: core.accounting.findTerms,
      hasPerson: vault.hasPerson,
      problemOfPng: makePngCheck().problemOf,
      attachedContents: sealedBlobs(core.merchants.blobs, vault),
      requestPayment: requestPayment({ handle, find, tidOf: payments.tidOf, identify, awaitScan }),
    },
    work: inform ? [...work, { due: inform, isTelling: true }] : work,
  }
}

export type PaymentSlice = Awaited<ReturnType<typeof paymentSlice>>
