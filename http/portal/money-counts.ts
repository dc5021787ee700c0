import { html } from 'hono/html'
import type { Completion } from '../../domain/accounting/completion.ts'
import { countersView } from '../merchant/summary-reply.ts'
import { numberFormat } from '../payer/formats.ts'
import type { Html } from '../payer/page.ts'
import type { PortalVisitor } from './page.ts'
import { scrolling } from './parts.ts'
import { moneyTexts } from './texts-money.ts'

const counterNames = {
  en: {
    payment_request_count: 'Requests',
    payment_auth_count: 'Authorised',
    payment_capture_count: 'Captures',
    payment_refund_count: 'Refunds',
    payment_release_count: 'Released',
    payment_expire_count: 'Expired',
    payment_fail_count: 'Failed',
    payment_abort_count: 'Aborted',
    permission_request_count: 'Permissions asked for',
    permission_answered_count: 'Permissions answered',
    permission_fail_count: 'Permissions failed',
  },
  nb: {
    payment_request_count: 'Forespørsler',
    payment_auth_count: 'Reservert',
    payment_capture_count: 'Trekk',
    payment_refund_count: 'Refusjoner',
    payment_release_count: 'Frigitt',
    payment_expire_count: 'Utløpt',
    payment_fail_count: 'Feilet',
    payment_abort_count: 'Avbrutt',
    permission_request_count: 'Tillatelser det er spurt om',
    permission_answered_count: 'Besvarte tillatelser',
    permission_fail_count: 'Tillatelser som feilet',
  },
} as const

/** How often each thing has happened in a report. */
export const countsHtml = (
  counters: Completion['counters'],
  { language, locale }: PortalVisitor,
): Html => {
  const names = counterNames[language]
  const view = countersView(counters)
  const format = numberFormat(locale)
  const shown = (Object.keys(names) as (keyof typeof names)[]).filter((name) => view[name] > 0)
  return html`<section class="card">
    <h2>${moneyTexts[language].counts}</h2>
    ${scrolling(
      moneyTexts[language].counts,
      html`<table class="grid steps">
        <tbody>
          ${shown.map(
            (name) =>
              html`<tr>
                <th scope="row">${names[name]}</th>
                <td class="number">${format.format(view[name])}</td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}
  </section>`
}
