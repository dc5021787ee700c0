import { html } from 'hono/html'
import type { ToldOfPayment } from '../../../application/payment-history.ts'
import { shownTime } from '../../payer/money.ts'
import type { Html } from '../../payer/page.ts'
import { filled } from '../../payer/words.ts'
import type { PaymentTexts } from './texts.ts'

const kinds: Readonly<Record<string, string>> = {
  delivered: 'good',
  abandoned: 'bad',
  waiting: 'warn',
}

const attemptHtml = (
  texts: PaymentTexts,
  locale: string,
  { attemptedAt, uri, httpStatus, problem, durationMs }: ToldOfPayment['tries'][number],
): Html => {
  const answer = httpStatus === null ? (problem ?? '') : filled(texts.callbackAnswered, httpStatus)
  return html`<li>
    ${shownTime(attemptedAt, locale)} ·
    ${answer}${durationMs === undefined ? '' : ` · ${durationMs} ms`}
    <span class="quiet">${uri}</span>
  </li>`
}

/** What was told of a payment, and what the receiver answered. */
export const callbacksHtml = (
  texts: PaymentTexts,
  locale: string,
  told: readonly ToldOfPayment[],
): Html =>
  told.length === 0
    ? html`<p class="quiet">${texts.callbackNone}</p>`
    : html`<ul class="told">
        ${told.map(
          ({ event, at, status, tries }) =>
            html`<li>
              <p>
                <code>${event}</code>
                <span class="badge ${kinds[status] ?? ''}"
                  >${texts[`callback_${status}` as keyof PaymentTexts] ?? status}</span
                >
                <span class="quiet small">${shownTime(at, locale)}</span>
              </p>
              ${
                tries.length === 0
                  ? ''
                  : html`<ol class="small">
                      ${tries.slice(-10).map((one) => attemptHtml(texts, locale, one))}
                    </ol>`
              }
            </li>`,
        )}
      </ul>`
