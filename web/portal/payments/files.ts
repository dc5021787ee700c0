import type { Find } from '../../../application/find-state.ts'
import type { makeReceipts } from '../../../audit/transparency/receipts.ts'
import { refuse } from '../../../domain/refusal.ts'
import { searchOf } from '../../../http/call.ts'
import { receiptQuery } from '../../../http/merchant/receipt.ts'
import { receiptStream } from '../../../http/merchant/receipt-reply.ts'
import { pictureReply, type PayerAttachmentNeeds } from '../../payer/attachment.ts'
import { pageHeaders } from '../../ui/page.ts'
import type { Route } from '../../../http/route.ts'
import type { PortalPages } from '../pages.ts'
import { findPayment, paymentParams } from './find.ts'
import { z } from 'zod'

export type PaymentFileNeeds = PayerAttachmentNeeds & {
  readonly find: Find
  readonly caughtUp: () => Promise<void>
  readonly receipts: Pick<ReturnType<typeof makeReceipts>, 'ofPayment'>
}

const place = { params: paymentParams, action: 'see_payments', area: 'payments' } as const

/** What belongs to a payment and is no page: its proof, and its pictures. */
export const paymentFileRoutes = (needs: PaymentFileNeeds, { page }: PortalPages): Route[] => {
  const find = findPayment(needs)
  return [
    page(
      {
        ...place,
        path: '/portal/:merchant/payments/:tid/proof.json',
        summary: 'Prove a payment: its events with the proof that they stand in the log',
        ownQuery: receiptQuery,
        replyTypes: ['application/json', 'text/html'],
        errors: { 404: 'There is no such payment, or no checkpoint of that size so far.' },
      },
      async (visitor, call) => {
        await needs.caughtUp()
        const { tid } = call.params
        await find(visitor, tid, call.at)
        const asked = receiptQuery.safeParse(Object.fromEntries(searchOf(call)))
        if (!asked.success) return refuse('resource_is_unknown')
        const receipt = await needs.receipts.ofPayment(tid, asked.data.from)
        const { merchant } = visitor.shop
        return {
          type: 'application/json',
          body: receiptStream({ merchant, about: { payment: tid } }, receipt),
          headers: {
            ...pageHeaders(needs.isSecure),
            'Content-Disposition': `attachment; filename="proof-${tid}.json"`,
          },
        }
      },
    ),
    page(
      {
        ...place,
        path: '/portal/:merchant/payments/:tid/attachment/:attachment_id',
        summary: 'A picture that is attached to a payment',
        params: paymentParams.extend({ attachment_id: z.string() }),
        replyTypes: ['image/png', 'text/html'],
      },
      async (visitor, call) => {
        await needs.caughtUp()
        const { tid, attachment_id: wanted } = call.params
        await find(visitor, tid, call.at)
        return pictureReply(needs, tid, wanted)
      },
    ),
  ]
}
