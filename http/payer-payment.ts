import { html } from 'hono/html'
import { z } from 'zod'
import { payments } from '../application/aggregates.ts'
import { streamOf, type Context, type Handle } from '../application/handle.ts'
import type { PaymentDetails, PaymentRequest } from '../domain/payment-events.ts'
import { formatAmount } from '../domain/money.ts'
import { refuse } from '../domain/refusal.ts'
import { parseScope } from '../domain/scope.ts'
import type { Instant } from '../domain/time.ts'
import type { PaymentOutcome } from '../projections/payment-outcome.ts'
import type { Html } from './page.ts'
import {
  attachmentsHtml,
  payerAttachmentRoute,
  type PayerAttachmentNeeds,
} from './payer-attachment.ts'
import { shownAmount, shownTime, typedAmount } from './payer-money.ts'
import { contextOfPayer } from './payer-sign-in.ts'
import {
  anyForm,
  fieldOf,
  hiddenFields,
  problemNote,
  type Form,
  type SignedIn,
  type Visitor,
  type Visits,
} from './payer-session.ts'
import type { Texts } from './payer-texts.ts'
import { route, searchOf, type Call, type RawReply, type Route } from './route.ts'

/** A payment request with all that its payer is shown. */
export type ShownRequest = {
  readonly tid: string
  readonly request: PaymentRequest
  readonly details: PaymentDetails
  /** The payer for whom it is; null when anyone may answer. */
  readonly payer: string | null
  readonly outcome: PaymentOutcome
  readonly shop: string
  readonly pos: string | null
}

export type PayerPaymentNeeds = PayerAttachmentNeeds & {
  readonly handle: Handle
  readonly caughtUp: () => Promise<void>
  readonly findRequest: (tid: string, at: Instant) => ShownRequest | undefined
  readonly acceptPayment: (
    tid: string,
    payer: string,
    wish: { readonly additionalAmount: number | null; readonly credit: boolean },
    context: Context,
  ) => Promise<void>
}

/** Whether a request is for a payer, or for whoever comes along: one without a customer that nobody has answered. */
export const isFor = ({ request, payer, outcome }: ShownRequest, visitor: string): boolean => {
  const owner = payer ?? outcome.payer
  return owner === null ? request.customer === null : owner === visitor
}

export const tidParams = z.object({ tid: z.string().regex(/^[a-z0-9]{1,64}$/) })

const reasonOf = (texts: Texts, statusCode: number): string =>
  (texts as Readonly<Record<string, string>>)[`why${statusCode}`] ?? ''

const statusText = (texts: Texts, status: PaymentOutcome['status']): string =>
  ({
    pending: texts.statusPending,
    auth: texts.statusAuth,
    ok: texts.statusOk,
    fail: texts.statusFail,
  })[status]

/** The status in words, with its reason. */
export const statusHtml = ({ texts }: Visitor, { status, statusCode }: PaymentOutcome): Html => {
  const tone = status === 'fail' ? 'bad' : status === 'pending' ? '' : 'good'
  const hasReason = status === 'fail' || status === 'auth'
  return html`<p role="status" class="state ${tone}">
    <span>
      ${statusText(texts, status)}
      ${hasReason ? html`<small>${reasonOf(texts, statusCode)}</small>` : ''}
    </span>
  </p>`
}

/** Shop, amount, text, line items and links: what the payer decides about. */
export const requestHtml = (visitor: Visitor, shown: ShownRequest): Html => {
  const { texts, locale } = visitor
  const { request, details, outcome, shop, pos } = shown
  const { currency } = request
  const amount = (minor: number) => shownAmount(minor, currency, locale)
  const total = outcome.amount + outcome.additionalAmount
  const links = details.links.filter(({ showOn }) =>
    showOn.includes(outcome.status === 'auth' ? 'ok' : outcome.status),
  )
  const isPending = outcome.status === 'pending'
  return html`${isPending ? html`<p class="quiet">${texts.payTo}</p>` : ''}
    <h1>${shop}${pos === null ? '' : html` <span class="quiet small">${pos}</span>`}</h1>
    <p class="amount" data-sum>${amount(total)}</p>
    ${request.text === null ? '' : html`<p>${request.text}</p>`}
    ${
      details.lineItems.length === 0 && outcome.additionalAmount === 0
        ? ''
        : html`<h2>${texts.items}</h2>
            <table>
              ${details.lineItems.map(
                (item) =>
                  html`<tr>
                    <td>
                      ${item.quantity === '1' ? '' : html`${item.quantity} × `}
                      ${item.description ?? item.productId}
                    </td>
                    <td>${amount(item.total)}</td>
                  </tr>`,
              )}
              ${
                details.lineItems.length === 0
                  ? html`<tr>
                      <td>${texts.amount}</td>
                      <td>${amount(outcome.amount)}</td>
                    </tr>`
                  : ''
              }
              ${
                outcome.additionalAmount === 0
                  ? ''
                  : html`<tr>
                      <td>${texts.additional}</td>
                      <td>${amount(outcome.additionalAmount)}</td>
                    </tr>`
              }
              <tr class="sum">
                <td>${texts.total}</td>
                <td>${amount(total)}</td>
              </tr>
            </table>`
    }
    ${
      links.length === 0
        ? ''
        : html`<h2>${texts.links}</h2>
            <ul class="list">
              ${links.map(
                ({ uri, caption }) =>
                  html`<li>
                    <a class="row link" rel="noopener noreferrer" href="${uri}">${caption}</a>
                  </li>`,
              )}
            </ul>`
    }`
}

/** Whether the payer came from the shop's checkout on this very device, and goes back there. */
const isCheckout = (call: Call): boolean => searchOf(call).has('checkout')

/** The pages on which a payer answers payment requests, and reads what became of them. */
export const payerPaymentRoutes = (needs: PayerPaymentNeeds, visits: Visits): Route[] => {
  /** What is for somebody else does not exist. */
  const find = async (tid: string, payer: string, at: Instant): Promise<ShownRequest> => {
    await needs.caughtUp()
    const found = needs.findRequest(tid, at) ?? refuse('resource_is_unknown')
    return isFor(found, payer) ? found : refuse('resource_is_unknown')
  }

  const answerForm = (
    visitor: SignedIn,
    call: Call,
    { request, tid }: ShownRequest,
    problem: string | undefined,
    typed: string | undefined,
  ): Html => {
    const { texts, csrf, locale } = visitor
    const { currency, additionalAmount } = request
    const scope = parseScope(request.requiredScope ?? '') ?? []
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
      />`
    return html`<form
      method="post"
      action="/payer/payment/${tid}${isCheckout(call) ? '?checkout' : ''}"
    >
      ${problemNote(problem)} ${hiddenFields({ csrf })} ${request.additionalEdit ? editable : ''}
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
            >${shownAmount(request.amount + additionalAmount, currency, locale)}</span
          >
        </button>
        <button class="second" name="decision" value="decline" formnovalidate>
          ${texts.decline}
        </button>
      </div>
    </form>`
  }

  const receipt = ({ texts, locale }: Visitor, { outcome, request }: ShownRequest): Html => {
    const amount = (minor: number) => shownAmount(minor, outcome.currency, locale)
    const refunded = outcome.refunds.reduce(
      (sum, refund) => sum + refund.amount + refund.additionalAmount,
      0,
    )
    return html`<h2>${texts.receipt}</h2>
      <table>
        <tr>
          <td>${texts.date}</td>
          <td>${shownTime(outcome.modifiedAt, locale)}</td>
        </tr>
        ${
          refunded === 0
            ? ''
            : html`<tr>
                <td>${texts.refunded}</td>
                <td>${amount(refunded)}</td>
              </tr>`
        }
        <tr>
          <td>${texts.reference}</td>
          <td><code>${request.posTid}</code></td>
        </tr>
      </table>`
  }

  const paymentPage = async (
    visitor: SignedIn,
    call: Call,
    shown: ShownRequest,
    problem?: string,
    typed?: string,
  ): Promise<RawReply> => {
    const { outcome, tid } = shown
    const isPending = outcome.status === 'pending'
    const { texts, locale } = visitor
    const { currency } = outcome
    const attached = isPending ? [] : await attachmentsHtml(needs, visitor, { tid, currency })
    return visits.show(visitor, {
      title: `${texts.payment} – ${shown.shop}`,
      status: problem === undefined ? 200 : 400,
      body: html`<div
        class="card"
        ${isPending ? html`data-live="/payer/checkout/${tid}/events"` : ''}
      >
        ${isPending ? '' : statusHtml(visitor, outcome)} ${requestHtml(visitor, shown)}
        ${
          isPending
            ? html`${answerForm(visitor, call, shown, problem, typed)}
                <p class="quiet small">${texts.expires} ${shownTime(outcome.expiresAt, locale)}</p>`
            : receipt(visitor, shown)
        }
        ${attached}
      </div>`,
    })
  }

  const answer = async (
    visitor: SignedIn,
    call: Call<{ readonly tid: string }, unknown, Form>,
  ): Promise<RawReply> => {
    const { tid } = call.params
    const form = call.body
    visits.checkForm(call, visitor, form)
    const { payer } = visitor.session
    const shown = await find(tid, payer, call.at)
    const { merchant, currency, additionalEdit } = shown.request
    const context = contextOfPayer(call, payer, merchant)
    const then = isCheckout(call) ? `/payer/checkout/${tid}` : `/payer/payment/${tid}`
    if (fieldOf(form, 'decision') === 'decline') {
      await needs.handle(payments, tid, { type: 'DeclinePayment', at: call.at, payer }, context)
      return visits.go(visitor, then)
    }
    if (fieldOf(form, 'decision') !== 'accept')
      return paymentPage(visitor, call, shown, visitor.texts.wrongInput)
    const typed = fieldOf(form, 'additional_amount')
    const isTyped = additionalEdit || (form['additional_amount'] !== undefined && typed !== '')
    const additionalAmount = isTyped ? typedAmount(typed, currency) : null
    if (additionalAmount === undefined)
      return paymentPage(visitor, call, shown, visitor.texts.wrongAmount, typed)
    await needs.acceptPayment(tid, payer, { additionalAmount, credit: false }, context)
    return visits.go(visitor, then)
  }

  return [
    route({
      method: 'GET',
      path: '/payer/payment/:tid',
      access: 'OPEN',
      group: 'Pages',
      summary: 'A payment request to answer, or the receipt of one that was answered',
      params: tidParams,
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) =>
        visits.signedInPage(call, async (visitor) => {
          const { tid } = call.params
          const shown = await find(tid, visitor.session.payer, call.at)
          const isOver = shown.outcome.status !== 'pending'
          return isOver && isCheckout(call)
            ? visits.go(visitor, `/payer/checkout/${tid}`)
            : paymentPage(visitor, call, shown)
        }),
    }),
    route({
      method: 'POST',
      path: '/payer/payment/:tid',
      access: 'OPEN',
      group: 'Pages',
      summary: 'Accept or decline a payment request',
      params: tidParams,
      body: anyForm,
      takesForm: true,
      success: 'raw',
      replyTypes: ['text/html'],
      handle: (call) => visits.signedInPage(call, (visitor) => answer(visitor, call)),
    }),
    payerAttachmentRoute(needs, visits, (tid, payer, { at }) => find(tid, payer, at)),
  ]
}

export const paymentStream = (tid: string): string => streamOf(payments, tid)
