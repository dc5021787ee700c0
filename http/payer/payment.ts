import { html } from 'hono/html'
import { payments } from '../../application/aggregates.ts'
import type { PaymentWish } from '../../application/answer-payment.ts'
import type { Context, Handle } from '../../application/handle.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { parseScope } from '../../domain/people/scope.ts'
import { Refusal } from '../../domain/refusal.ts'
import { tidParams } from '../addresses.ts'
import { contextOfPayer, searchOf, type Call } from '../call.ts'
import { fieldOf, type FormOf } from '../forms.ts'
import type { RawReply, Route } from '../route.ts'
import { attachmentsHtml, payerAttachmentRoute, type PayerAttachmentNeeds } from './attachment.ts'
import { shownAmount, shownTime, typedAmount } from './money.ts'
import { pageAsks, paymentForm } from './page-asks.ts'
import type { Html } from './page.ts'
import { payerPages } from './pages.ts'
import {
  receiptHtml,
  requestFor,
  requestHtml,
  statusHtml,
  type ShownRequest,
  type ShownRequestNeeds,
} from './request.ts'
import { hiddenFields, problemNote, type SignedIn, type Visits } from './session.ts'

export type PayerPaymentNeeds = PayerAttachmentNeeds &
  ShownRequestNeeds & {
    readonly handle: Handle
    readonly acceptPayment: (
      tid: string,
      payer: string,
      wish: PaymentWish,
      context: Context,
    ) => Promise<void>
  }

/** What the payer has entered that cannot be taken yet, and why. */
type Entered = {
  readonly problem?: string
  readonly typed?: string
  /** The additional amount that the payer is asked to confirm: another one is asked for anew. */
  readonly confirmed?: string
}

/** What is to be told beside the form, if it is that; everything else is thrown. */
const refusalOf = async (
  accept: () => Promise<void>,
): Promise<'additional_amount_is_not_confirmed' | 'additional_amount_is_too_high' | undefined> => {
  try {
    await accept()
    return undefined
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined
    if (code === 'additional_amount_is_not_confirmed' || code === 'additional_amount_is_too_high')
      return code
    throw error
  }
}

/** Whether the payer came from the shop's checkout on this very device, and goes back there. */
const isCheckout = (call: Call): boolean => searchOf(call).has('checkout')

/** The pages on which a payer answers payment requests, and reads what became of them. */
export const payerPaymentRoutes = (needs: PayerPaymentNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const find = requestFor(needs)

  const answerForm = (
    visitor: SignedIn,
    call: Call,
    { request, tid }: ShownRequest,
    { problem, typed, confirmed }: Entered,
  ): Html => {
    const { texts, csrf, locale } = visitor
    const { currency, additionalAmount } = request
    const scope = parseScope(request.requiredScope ?? '')
    const extra = additionalAmount === 0 ? '' : formatAmount(additionalAmount, currency)
    const editable = html`<label for="extra">${texts.additional}</label>
      <input
        id="extra"
        name="additional_amount"
        inputmode="decimal"
        autocomplete="off"
        maxlength="16"
        value="${typed ?? extra}"
        data-total="${formatAmount(request.amount, currency)}"
        data-currency="${currency}"
        data-decimals="${decimalsOf(currency)}"
      />`
    return html`<form
      method="post"
      action="/payer/payment/${tid}${isCheckout(call) ? '?checkout' : ''}"
    >
      ${problemNote(problem)}
      ${hiddenFields(confirmed === undefined ? { csrf } : { csrf, confirmed })}
      ${request.additionalEdit ? editable : ''}
      ${
        scope.length === 0
          ? ''
          : html`<h2>${texts.required}</h2>
              ${request.requiredScopeText === null ? '' : html`<p>${request.requiredScopeText}</p>`}
              <ul>
                ${scope.map((name) => html`<li>${texts[`scope_${name}`]}</li>`)}
              </ul>`
      }
      <div class="actions">
        <button name="decision" value="accept">
          ${texts.pay}&nbsp;<span data-sum
            >${
              // Without a script it would not follow what is typed.
              request.additionalEdit
                ? ''
                : shownAmount(request.amount + additionalAmount, currency, locale)
            }</span
          >
        </button>
        <button class="second" name="decision" value="decline" formnovalidate>
          ${texts.decline}
        </button>
      </div>
    </form>`
  }

  const paymentPage = async (
    visitor: SignedIn,
    call: Call,
    shown: ShownRequest,
    entered: Entered = {},
  ): Promise<RawReply> => {
    const { outcome, tid } = shown
    const isPending = outcome.status === 'pending'
    const { texts, locale } = visitor
    const { currency } = outcome
    const attached = isPending ? [] : await attachmentsHtml(needs, visitor, { tid, currency })
    return visits.show(visitor, {
      title: `${texts.payment} – ${shown.shop}`,
      status: entered.problem === undefined ? 200 : 400,
      body: html`<div
        class="card"
        ${isPending ? html`data-live="/payer/checkout/${tid}/events"` : ''}
      >
        ${isPending ? '' : statusHtml(visitor, outcome)} ${requestHtml(visitor, shown)}
        ${
          isPending
            ? html`${answerForm(visitor, call, shown, entered)}
                <p class="quiet small">${texts.expires} ${shownTime(outcome.expiresAt, locale)}</p>`
            : receiptHtml(visitor, shown)
        }
        ${attached}
      </div>`,
    })
  }

  const answer = async (
    visitor: SignedIn,
    call: Call<{ readonly tid: string }, undefined, FormOf<typeof paymentForm>>,
  ): Promise<RawReply> => {
    const { tid } = call.params
    const form = call.body
    const { payer } = visitor.session
    const shown = await find(tid, payer, call.at)
    const { merchant, currency, additionalEdit } = shown.request
    const context = contextOfPayer(call, payer, merchant)
    const then = isCheckout(call) ? `/payer/checkout/${tid}` : `/payer/payment/${tid}`
    const { data: decision } = paymentForm.shape.decision.safeParse(fieldOf(form, 'decision'))
    const { texts } = visitor
    const again = (entered: Entered) => paymentPage(visitor, call, shown, entered)
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
    const refused = await refusalOf(() => needs.acceptPayment(tid, payer, wish, context))
    if (refused === 'additional_amount_is_not_confirmed')
      return again({ problem: texts.refused_additional_amount_is_not_confirmed, typed, confirmed })
    if (refused === 'additional_amount_is_too_high')
      return again({ problem: texts.refused_additional_amount_is_too_high, typed })
    return visits.go(visitor, then)
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
        const shown = await find(tid, visitor.session.payer, call.at)
        const isOver = shown.outcome.status !== 'pending'
        return isOver && isCheckout(call)
          ? visits.go(visitor, `/payer/checkout/${tid}`)
          : paymentPage(visitor, call, shown)
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
