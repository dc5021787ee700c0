import { html } from 'hono/html'
import type { Pots } from '../../domain/money/pots.ts'
import type { PaymentDetails, PaymentRequest } from '../../domain/payment/payment-events.ts'
import type { Pieces } from '../../domain/pieces.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { PaymentOutcome } from '../../domain/payment/payment-outcome.ts'
import { shownAmount, shownTime } from './money.ts'
import type { Html } from './page.ts'
import type { Visitor } from './session.ts'
import type { Texts } from './texts.ts'

/** A payment request with all that its payer is shown. */
export type ShownRequest = {
  readonly tid: string
  readonly request: PaymentRequest
  readonly details: PaymentDetails
  /** The payer for whom it is, or who has accepted or declined it; null when anyone may answer. */
  readonly payer: string | null
  readonly outcome: PaymentOutcome
  readonly shop: string
  readonly pos: string | null
}

export type ShownRequestNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly findRequest: (tid: string, at: Instant) => Promise<ShownRequest | undefined>
}

/** Whether a request is for a payer, or for whoever comes along: one without a customer that nobody has answered. */
export const isFor = ({ request, payer, outcome }: ShownRequest, visitor: string): boolean => {
  // The outcome is read later than the payment, and somebody may have accepted in between.
  const owner = payer ?? outcome.payer
  return owner === null ? request.customer === null : owner === visitor
}

/** The request as its payer may see it: what is for somebody else does not exist. @throws Refusal */
export const requestFor =
  ({ caughtUp, findRequest }: ShownRequestNeeds) =>
  async (tid: string, payer: string, at: Instant): Promise<ShownRequest> => {
    await caughtUp()
    const found = await findRequest(tid, at)
    return found && isFor(found, payer) ? found : refuse('resource_is_unknown')
  }

/** What a status code tells a payer. */
export const reasonOf = (texts: Texts, statusCode: number): string =>
  (texts as Readonly<Record<string, string>>)[`why${statusCode}`] ?? ''

const sumOf = ({ amount, additionalAmount }: Pots): number => amount + additionalAmount

const sumOfAll = (parts: Pieces<Pots>): number =>
  parts.flat().reduce((sum, part) => sum + sumOf(part), 0)

/** What was asked for, what the shop has taken of it and given back: both pots together, in minor units. */
export const sumsOf = (outcome: PaymentOutcome) => ({
  asked: sumOf(outcome),
  captured: sumOfAll(outcome.captures),
  refunded: sumOfAll(outcome.refunds),
})

/** Whether the shop has taken some of the money, and let the rest wait or lapse: what it has released it does not want. */
const isInPart = (outcome: PaymentOutcome): boolean =>
  outcome.status !== 'ok' && outcome.captures.length > 0

/** The status in words, as one who pays reads it: what the shop has taken is paid, however the request ended. */
export const statusText = (texts: Texts, outcome: PaymentOutcome): string =>
  isInPart(outcome)
    ? texts.statusPart
    : {
        pending: texts.statusPending,
        auth: texts.statusAuth,
        ok: texts.statusOk,
        fail: texts.statusFail,
      }[outcome.status]

const statusReason = (texts: Texts, outcome: PaymentOutcome): string => {
  const { status, statusCode } = outcome
  if (status !== 'auth' && status !== 'fail') return ''
  if (!isInPart(outcome)) return reasonOf(texts, statusCode)
  return status === 'auth' ? texts.restIsOpen : texts.restIsOver
}

/** The status in words, with its reason. */
export const statusHtml = ({ texts }: Visitor, outcome: PaymentOutcome): Html => {
  const isBad = outcome.status === 'fail' && !isInPart(outcome)
  const tone = isBad ? 'bad' : outcome.status === 'pending' ? '' : 'good'
  const reason = statusReason(texts, outcome)
  return html`<p role="status" class="state ${tone}">
    <span>
      ${statusText(texts, outcome)} ${reason === '' ? '' : html`<small>${reason}</small>`}
    </span>
  </p>`
}

/** Long sums are written smaller, so that a narrow screen breaks no number. */
const sizeOf = ({ length }: string): string =>
  length <= 9 ? '' : length <= 16 ? 'long' : 'longest'

/** Shop, amount, text, line items and links: what the payer decides about. */
export const requestHtml = (visitor: Visitor, shown: ShownRequest): Html => {
  const { texts, locale } = visitor
  const { request, details, outcome, shop, pos } = shown
  const { currency } = request
  const amount = (minor: number) => shownAmount(minor, currency, locale)
  const { asked: total, captured } = sumsOf(outcome)
  const sum = amount(captured || total)
  const links = details.links.filter(({ showOn }) =>
    showOn.includes(outcome.status === 'auth' ? 'ok' : outcome.status),
  )
  const isPending = outcome.status === 'pending'
  return html`${isPending ? html`<p class="quiet">${texts.payTo}</p>` : ''}
    <h1>${shop}${pos === null ? '' : html` <span class="quiet small">${pos}</span>`}</h1>
    <p class="amount ${sizeOf(sum)}" data-sum>${sum}</p>
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

/** What became of a request, for the payer's own books. */
export const receiptHtml = (
  { texts, locale }: Visitor,
  { outcome, request }: ShownRequest,
): Html => {
  const { captured, refunded } = sumsOf(outcome)
  const released = captured > 0 ? sumOf(outcome.released) : 0
  const row = (name: string, minor: number): Html | '' =>
    minor === 0
      ? ''
      : html`<tr>
          <td>${name}</td>
          <td>${shownAmount(minor, outcome.currency, locale)}</td>
        </tr>`
  return html`<h2>${captured > 0 ? texts.receipt : texts.payment}</h2>
    <table>
      <tr>
        <td>${texts.date}</td>
        <td>${shownTime(outcome.modifiedAt, locale)}</td>
      </tr>
      ${row(texts.paid, captured)} ${row(texts.notCollected, released)}
      ${row(texts.refunded, refunded)}
      <tr>
        <td>${texts.reference}</td>
        <td><code>${request.posTid}</code></td>
      </tr>
    </table>`
}
