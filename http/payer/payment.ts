import { html } from 'hono/html'
import { payments } from '../../domain/aggregates.ts'
import type { PaymentWish } from '../../application/answer-payment.ts'
import type { Context, Handle } from '../../application/handle.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { parseScope } from '../../domain/people/scope.ts'
import { Refusal } from '../../domain/refusal.ts'
import { tidParams } from '../addresses.ts'
import { contextOfPayer, searchOf, type Call } from '../call.ts'
import { fieldOf, type FormOf } from '../forms.ts'
import type { RawReply, Route } from '../route.ts'
import { attachmentsHtml, payerAttachmentRoute, type PayerAttachmentNeeds } from './attachment.ts'
import { shownAmount, shownTime, typedAmount } from './money.ts'
import { orderHtml, splitHtml } from './order.ts'
import { pageAsks, paymentForm } from './page-asks.ts'
import type { Html } from './page.ts'
import { payerPages } from './pages.ts'
import {
  receiptHtml,
  refuseDisabledShop,
  requestFor,
  statusHtml,
  type ShownRequest,
  type ShownRequestNeeds,
} from './request.ts'
import { scopeList } from './scope-choice.ts'
import { codeField } from './fields.ts'
import { filled } from './words.ts'
import { hiddenFields, problemNote, type SignedIn, type Visits } from './session.ts'
import { stepUp, stepUpFor, type StepUpNeeds } from './step-up.ts'
import { chosenTip, tipField } from './tip.ts'

export type PayerPaymentNeeds = PayerAttachmentNeeds &
  StepUpNeeds &
  ShownRequestNeeds & {
    readonly handle: Handle
    readonly findProfile: (payer: string) => Promise<Profile | undefined>
    readonly acceptPayment: (
      tid: string,
      payer: string,
      wish: PaymentWish,
      context: Context,
    ) => Promise<void>
  }

/** The payer's input that was rejected, and why. */
type Entered = {
  readonly problem?: string
  readonly typed?: string
  /** The additional amount to confirm; a different one must be confirmed again. */
  readonly confirmed?: string
}

/** A refusal to show beside the form; other errors are thrown. */
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

/** Told beside the form; other errors are thrown. */
const factorProblem = async (
  confirm: () => Promise<void>,
): Promise<'stepUpNeeded' | 'wrongCode' | undefined> => {
  try {
    await confirm()
    return undefined
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined
    if (code === 'second_factor_is_needed') return 'stepUpNeeded'
    if (code === 'sign_in_is_wrong') return 'wrongCode'
    throw error
  }
}

/** Whether the payer came from the shop's checkout on this device. */
const isCheckout = (call: Call): boolean => searchOf(call).has('checkout')

const pathOf = (call: Call, tid: string): string =>
  `/payer/payment/${tid}${isCheckout(call) ? '?checkout' : ''}`

const scopeOf = ({ requiredScope }: ShownRequest['request']) => parseScope(requiredScope ?? '')

/** Pages to answer payment requests and read their outcome. */
export const payerPaymentRoutes = (needs: PayerPaymentNeeds, visits: Visits): Route[] => {
  const { page, form } = payerPages(visits)
  const find = requestFor(needs)
  const confirm = stepUp(needs)

  const answerForm = (
    visitor: SignedIn,
    call: Call,
    shown: ShownRequest,
    { problem, typed, confirmed }: Entered,
    additionalAmount: number,
    profile: Profile | undefined,
  ): Html => {
    const { texts, csrf, locale } = visitor
    const { request, tid } = shown
    const above = stepUpFor(needs, shown, additionalAmount)
    const scope = scopeOf(request)
    const path = pathOf(call, tid)
    const sum = shownAmount(request.amount + additionalAmount, request.currency, locale)
    // Without scripts the button's amount would not follow the input.
    const isFixed = !request.additionalEdit || confirmed !== undefined
    return html`<form method="post" action="${path}">
      ${problemNote(problem)}
      ${hiddenFields(confirmed === undefined ? { csrf } : { csrf, confirmed })}
      ${request.additionalEdit ? tipField(visitor, { request, path, typed, additionalAmount }) : ''}
      ${
        scope.length === 0
          ? ''
          : html`<h2>${texts.required}</h2>
              ${request.requiredScopeText === null ? '' : html`<p>${request.requiredScopeText}</p>`}
              ${scopeList(visitor, scope, profile)}`
      }
      ${
        above === undefined
          ? ''
          : html`<p>${filled(texts.stepUp, shownAmount(above, request.currency, locale))}</p>
              ${codeField(texts)}`
      }
      <div class="actions">
        <button name="decision" value="accept">
          ${request.action === 'sale' ? texts.pay : texts.reserve}&nbsp;<span data-sum
            >${isFixed ? sum : ''}</span
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
    const { texts, locale } = visitor
    const title = `${texts.payment} – ${shown.shop}`
    const status = entered.problem === undefined ? 200 : 400
    if (outcome.status !== 'pending') {
      const { currency } = outcome
      const attached = await attachmentsHtml(needs, visitor, { tid, currency })
      const body = html`<div class="card">
        ${statusHtml(visitor, shown)} ${orderHtml(visitor, shown)} ${receiptHtml(visitor, shown)}
        ${attached}
      </div>`
      return visits.show(visitor, { title, status, body })
    }
    const { request } = shown
    const { additionalAmount: asked } = request
    const additionalAmount =
      entered.typed === undefined ? asked : (typedAmount(entered.typed, request.currency) ?? asked)
    const isAsked = scopeOf(request).length > 0
    const profile = isAsked ? await needs.findProfile(visitor.session.payer) : undefined
    const back = html`<a class="back" href="/payer/">${texts.home}</a>`
    const body = splitHtml(
      html`${isCheckout(call) ? '' : back} ${orderHtml(visitor, shown, additionalAmount)}`,
      html`${answerForm(visitor, call, shown, entered, additionalAmount, profile)}
        <p class="quiet small">${texts.expires} ${shownTime(outcome.expiresAt, locale)}</p>`,
      `/payer/checkout/${tid}/events`,
    )
    return visits.show(visitor, { title, status, body }, { isPayment: true })
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
    const code = fieldOf(form, 'code').replaceAll(' ', '')
    const given = { payer, code, known: visitor.known }
    const unproved = await factorProblem(() => confirm(shown, additionalAmount, given, context))
    if (unproved)
      return again({
        problem: texts[unproved],
        ...(isTyped && { typed }),
        ...(isConfirmed && { confirmed }),
      })
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
        refuseDisabledShop(shown.outcome.status, shown.isShopDisabled)
        const isOver = shown.outcome.status !== 'pending'
        if (isOver && isCheckout(call)) return visits.go(visitor, `/payer/checkout/${tid}`)
        const { request } = shown
        const choice = request.additionalEdit ? searchOf(call).get('tip') : null
        const typed = chosenTip(request, choice, visitor.locale)
        return paymentPage(visitor, call, shown, typed === undefined ? {} : { typed })
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
