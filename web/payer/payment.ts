import { payments } from '../../domain/aggregates.ts'
import type { acceptPayment } from '../../application/answer-payment.ts'
import type { Handle } from '../../application/handle.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { Refusal } from '../../domain/refusal.ts'
import { tidParams } from '../../http/addresses.ts'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import { compactFieldOf, fieldOf, type FormOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { payerAttachmentRoute } from './attachment.tsx'
import { typedAmount } from '../ui/money.tsx'
import { pageAsks, paymentForm } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import {
  isCheckout,
  paymentPage,
  type Entered,
  type PaymentPageNeeds,
  chosenTip,
} from './payment-page.tsx'
import { refuseDisabledShop, requestFor, type RequestViewNeeds } from './request.tsx'
import type { SignedIn, Visits } from './session.tsx'
import { stepUp } from './step-up.ts'

export type PayerPaymentNeeds = PaymentPageNeeds &
  RequestViewNeeds & {
    readonly handle: Handle
    readonly acceptPayment: ReturnType<typeof acceptPayment>
  }

const notConfirmed = 'refused_additional_amount_is_not_confirmed'

/** Told beside the form; other errors are thrown. */
const problemOf = async (accept: () => Promise<void>) => {
  try {
    await accept()
    return undefined
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined
    if (code === 'second_factor_is_needed') return 'stepUpNeeded'
    if (code === 'sign_in_is_wrong') return 'wrongCode'
    if (code === 'additional_amount_is_not_confirmed') return notConfirmed
    if (code === 'additional_amount_is_too_high') return 'refused_additional_amount_is_too_high'
    throw error
  }
}

export const payerPaymentRoutes = (needs: PayerPaymentNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const find = requestFor(needs)
  const withStepUp = stepUp(needs)
  const show = paymentPage(needs, visits)

  const answer = async (
    visitor: SignedIn,
    call: Call<{ readonly tid: string }, undefined, FormOf<typeof paymentForm>>,
  ): Promise<RawReply> => {
    const { tid } = call.params
    const form = call.body
    const { payer } = visitor.session
    const look = () => find(tid, payer, call.at)
    const view = await look()
    const { merchant, currency, additionalEdit } = view.request
    const context = contextOfPayer(call, payer, merchant)
    const then = isCheckout(call) ? `/payer/checkout/${tid}` : `/payer/payment/${tid}`
    const { data: decision } = paymentForm.shape.decision.safeParse(fieldOf(form, 'decision'))
    const { texts } = visitor
    const again = (entered: Entered) => show(visitor, call, view, entered)
    if (decision === undefined) return again({ problem: texts.wrongInput })
    if (decision === 'decline') {
      await needs.handle(payments, tid, { type: 'DeclinePayment', at: call.at, payer }, context)
      return visits.go(visitor, then)
    }
    const typed = fieldOf(form, 'additional_amount')
    const isTyped = form['additional_amount'] !== undefined && (additionalEdit || typed !== '')
    const additionalAmount = isTyped ? typedAmount(typed, currency) : null
    if (additionalAmount === undefined) return again({ problem: texts.wrongAmount, typed })
    const confirmed = additionalAmount === null ? '' : formatAmount(additionalAmount, currency)
    const isConfirmed = additionalAmount !== null && fieldOf(form, 'confirmed') === confirmed
    const wish = { additionalAmount, isConfirmed, credit: false }
    const code = compactFieldOf(form, 'code')
    const factor = { payer, code, known: visitor.known }
    const accept = () => needs.acceptPayment(tid, payer, wish, context)
    const problem = await problemOf(() =>
      withStepUp(look, additionalAmount, factor, context, accept),
    )
    if (problem === undefined) return visits.go(visitor, then)
    return again({
      problem: texts[problem],
      ...(isTyped && { typed }),
      ...((isConfirmed || problem === notConfirmed) && { confirmed }),
    })
  }

  return [
    page(
      {
        path: '/payer/payment/:tid',
        summary: 'A payment request to answer, or the receipt of one that was answered',
        params: tidParams,
        ...pageAsks.showPayment,
      },
      async (visitor, call) => {
        const { tid } = call.params
        const view = await find(tid, visitor.session.payer, call.at)
        refuseDisabledShop(view.outcome.status, view.isShopDisabled)
        const isOver = view.outcome.status !== 'pending'
        if (isOver && isCheckout(call)) return visits.go(visitor, `/payer/checkout/${tid}`)
        const { request } = view
        const choice = request.additionalEdit ? searchOf(call).get('tip') : null
        const typed = chosenTip(request, choice, visitor.locale)
        return show(visitor, call, view, typed === undefined ? {} : { typed })
      },
    ),
    form(
      {
        path: '/payer/payment/:tid',
        summary: 'Accept or decline a payment request',
        params: tidParams,
        ...pageAsks.answerPayment,
      },
      answer,
    ),
    payerAttachmentRoute(needs, visits, (tid, payer, { at }) => find(tid, payer, at)),
  ]
}
