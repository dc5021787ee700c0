import { z } from 'zod'
import { payments } from '../../domain/aggregates.ts'
import { tidParams, type Links } from '../../http/addresses.ts'
import type { Names } from '../../http/assets.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import type { Fitting } from '../../http/validation.ts'
import { attachmentReadingRoutes } from '../../http/merchant/attachment.ts'
import type { Route } from '../../http/route.ts'
import { amountText, dateTime, money } from '../../http/wire.ts'
import { acceptanceFaults, additionalAmountIn } from '../../http/merchant/sandbox-faults.ts'
import type { PayerAccess } from './api-access.ts'
import { asksOfPayer, codeText, ofPayer, payerPrefix } from './api-fields.ts'
import type { PayerPaymentNeeds } from './payment.ts'
import { requestFor, sumsOf } from './request.tsx'
import { stepUp } from './step-up.ts'

const paymentReply = z
  .object({
    tid: z.string(),
    merchant: z.string().meta({ description: 'Its business name.' }),
    action: z.enum(['auth', 'sale']).meta({
      description: 'What the payer is told: `auth` reserves the amount, `sale` pays it.',
    }),
    status: z.enum(['pending', 'auth', 'ok', 'fail']),
    status_code: z.int(),
    currency: z.string(),
    amount: money,
    additional_amount: money,
    captured: money.meta({ description: 'What the shop has taken so far, both amounts together.' }),
    refunded: money.meta({ description: 'What it has given back of that.' }),
    additional_edit: z.boolean(),
    allow_credit: z.boolean(),
    text: z.string().nullable(),
    required_scope: z.string().nullable(),
    required_scope_text: z.string().nullable(),
    date_modified: dateTime,
    date_expires: dateTime,
  })
  .meta({ id: 'PayerPaymentRequest' })

const acceptInput = z
  .object({
    additional_amount: amountText.optional(),
    confirmed: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether the payer has confirmed an additional_amount above the amount. More than ten ' +
          'times the amount is refused.',
      }),
    credit: z.boolean().default(false),
    code: codeText.optional().meta({
      description:
        'A one-time code, for what comes with all that was accepted within 24 hours to more than ' +
        'the operator has set.',
    }),
  })
  .meta({ id: 'PayerAccept' })

type Acceptance = z.output<typeof acceptInput>

export type PayerApiPaymentNeeds = PayerPaymentNeeds & {
  readonly links: Links
  readonly names: Names
}

export const payerApiPaymentRoutes = (
  needs: PayerApiPaymentNeeds,
  access: PayerAccess,
): Route[] => {
  const find = requestFor(needs)
  const withStepUp = stepUp(needs)
  const findOwn = requestFor(needs, 'resource_is_unknown')

  return [
    ofPayer.get(`${payerPrefix}/payment_request/:tid/`, {
      summary: 'A payment request of the payer, or one that anyone may answer',
      params: tidParams,
      reply: paymentReply,
      errors: { 409: 'Another payer has answered it first.' },
      handle: async (call) => {
        const { payer } = await access(call)
        const { tid, request, outcome, shop } = await find(call.params.tid, payer, call.at)
        const { currency, status } = outcome
        const { captured, refunded } = sumsOf(outcome)
        return {
          tid,
          merchant: shop,
          action: request.action,
          status,
          status_code: outcome.statusCode,
          currency,
          amount: { minor: outcome.amount, currency },
          additional_amount: { minor: outcome.additionalAmount, currency },
          captured: { minor: captured, currency },
          refunded: { minor: refunded, currency },
          additional_edit: request.additionalEdit,
          allow_credit: request.allowCredit,
          text: request.text,
          required_scope: request.requiredScope,
          required_scope_text: request.requiredScopeText,
          date_modified: outcome.modifiedAt,
          date_expires: outcome.expiresAt,
        }
      },
    }),
    ofPayer.post(`${payerPrefix}/payment_request/:tid/accept/`, {
      summary: 'Accept a payment request',
      params: tidParams,
      body: acceptInput,
      errors: { 401: 'The code is wrong.', 429: 'Too many wrong codes: see Retry-After.' },
      furtherFaults: async (call: Call<{ tid: string }, unknown, Fitting<Acceptance>>) => {
        const { payer } = await access(call)
        const { request, outcome } = await find(call.params.tid, payer, call.at)
        return outcome.status === 'pending' ? acceptanceFaults(call.body, request) : []
      },
      handle: async (call) => {
        const { tid } = call.params
        const { payer } = await access(call)
        const look = () => find(tid, payer, call.at)
        const { request } = await look()
        const { additional_amount: text, confirmed: isConfirmed, credit, code = '' } = call.body
        const additionalAmount = additionalAmountIn(text, request.currency)
        const context = contextOfPayer(call, payer, request.merchant)
        const wish = { additionalAmount, isConfirmed, credit }
        await withStepUp(look, additionalAmount, { payer, code }, context, () =>
          needs.acceptPayment(tid, payer, wish, context),
        )
      },
    }),
    ofPayer.post(`${payerPrefix}/payment_request/:tid/decline/`, {
      summary: 'Decline a payment request',
      params: tidParams,
      handle: async (call) => {
        const { tid } = call.params
        const { payer } = await access(call)
        const { request } = await find(tid, payer, call.at)
        const context = contextOfPayer(call, payer, request.merchant)
        await needs.handle(payments, tid, { type: 'DeclinePayment', at: call.at, payer }, context)
      },
    }),
    ...attachmentReadingRoutes(needs, {
      listPath: (tid) => `${payerPrefix}/payment_request/${tid}/attachment/`,
      ...asksOfPayer,
      entriesFor: async (call, tid) => {
        const { payer } = await access(call)
        await findOwn(tid, payer, call.at)
        return needs.attachments.of(tid)
      },
    }),
  ]
}
