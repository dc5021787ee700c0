import { Card, Form, type Html } from '../../ui/components.tsx'
import { z } from 'zod'
import { sendEvidence } from '../../../application/disputes.ts'
import type { Deciding } from '../../../application/handle.ts'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { disputeId, isClosed } from '../../../domain/payment/dispute.ts'
import type { Dispute } from '../../../domain/payment/payment-state.ts'
import type { Instant } from '../../../domain/time.ts'
import { largestUpload, sealParts, type SealingNeeds } from '../../../http/merchant/attachment.ts'
import type { Route } from '../../../http/route.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'
import type { Visits } from '../../payer/session.tsx'
import { Field } from '../../ui/fields.tsx'
import { minorText, shopTime } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import { portalPath } from '../areas.ts'
import { contextOfStaff } from '../guard.ts'
import type { PortalPages } from '../pages.ts'
import type { PaymentView } from './payment-parts.tsx'
import { grossOf } from './preview.tsx'
import { findPayment, paymentParams, paymentPath } from './query.ts'

const tones = { open: 'bad', evidence_sent: 'open', won: 'good', lost: 'bad' } as const

export const disputeBadge = (texts: Catalogue['disputes'], { state }: Dispute): Html => (
  <span class={`badge ${tones[state]}`}>{texts[`state_${state}`]}</span>
)

const evidencePath = (number: number | string): string => `/disputes/${number}`

const evidenceForm = (
  { visitor, tid }: PaymentView,
  texts: Catalogue['disputes'],
  number: number,
): Html => (
  <Form
    action={portalPath(visitor.shop.merchant, paymentPath(tid, evidencePath(number)))}
    enctype="multipart/form-data"
    hidden={{ csrf: visitor.csrf }}
  >
    <Field
      name="file"
      type="file"
      accept="image/png"
      label={texts.pictures}
      hint={texts.picturesWhat}
      required
    />
    <button class="second">{texts.send}</button>
  </Form>
)

/** The disputes of a payment, and a form for evidence while there is time. */
export const disputesHtml = (view: PaymentView, at: Instant): Html => {
  const { visitor, payment } = view
  if (payment.disputes.length === 0) return null
  const texts = textsIn[visitor.language].disputes
  const { locale } = visitor
  const mayAnswer = mayDo(visitor.me.terms, 'refund')
  return (
    <Card title={texts.title}>
      {payment.disputes.map((dispute, index) => (
        <div>
          <p>
            {disputeBadge(texts, dispute)}{' '}
            <b>{minorText(grossOf(dispute), payment.request.currency, locale)}</b>{' '}
            <q>{dispute.reason}</q>
          </p>
          <p class="quiet small">
            {filled(texts.dueBy, { time: shopTime(dispute.due, visitor) })} ·{' '}
            {dispute.evidence.length === 0
              ? texts.evidenceNone
              : texts.evidence({ count: dispute.evidence.length })}
          </p>
          {mayAnswer &&
            !isClosed(dispute) &&
            at < dispute.due &&
            evidenceForm(view, texts, index + 1)}
        </div>
      ))}
    </Card>
  )
}

export type EvidenceNeeds = Deciding & SealingNeeds

/** Takes pictures as evidence. */
export const evidenceRoute = (
  needs: EvidenceNeeds,
  { upload }: PortalPages,
  visits: Visits,
): Route => {
  const find = findPayment(needs)
  return upload(
    {
      path: `/portal/:merchant/payments/:tid${evidencePath(':dispute')}`,
      params: paymentParams.extend({ dispute: z.string().regex(/^[1-9]\d{0,2}$/) }),
      action: 'refund',
      area: 'payments',
      summary: 'Send pictures as evidence in a dispute',
      largest: largestUpload,
      fileType: 'image/png',
    },
    async (visitor, parts, call) => {
      const { tid, dispute } = call.params
      await find(visitor, tid, call.at)
      const pictures = parts.filter(({ name, content }) => name === 'file' && content.length > 0)
      await sendEvidence(needs)(
        disputeId(tid, Number(dispute)),
        ({ payer, request }) => sealParts(needs, pictures, payer ?? '', request.currency),
        contextOfStaff(call, visitor),
      )
      return visits.go(visitor, portalPath(visitor.shop.merchant, paymentPath(tid)))
    },
  )
}
