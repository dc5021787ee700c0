import { html } from 'hono/html'
import type { Completion } from '../../domain/accounting/completion.ts'
import { countersView } from '../../http/merchant/summary-reply.ts'
import { numberFormat } from '../ui/formats.ts'
import type { Html } from '../ui/page.ts'
import { sumRow } from './money-parts.ts'
import type { PortalVisitor } from './page.ts'
import { card, scrolling } from './parts.ts'
import { moneyTexts } from './texts-money.ts'

const counterNames = {
  payment_request_count: { en: 'Requests', nb: 'Forespørsler' },
  payment_auth_count: { en: 'Authorised', nb: 'Reservert' },
  payment_capture_count: { en: 'Captures', nb: 'Trekk' },
  payment_refund_count: { en: 'Refunds', nb: 'Refusjoner' },
  payment_release_count: { en: 'Released', nb: 'Frigitt' },
  payment_expire_count: { en: 'Expired', nb: 'Utløpt' },
  payment_fail_count: { en: 'Failed', nb: 'Feilet' },
  payment_abort_count: { en: 'Aborted', nb: 'Avbrutt' },
  permission_request_count: { en: 'Permissions asked for', nb: 'Tillatelser det er spurt om' },
  permission_answered_count: { en: 'Permissions answered', nb: 'Besvarte tillatelser' },
  permission_fail_count: { en: 'Permissions failed', nb: 'Tillatelser som feilet' },
} as const

/** How often each thing has happened in a report. */
export const countsHtml = (
  counters: Completion['counters'],
  { language, locale }: PortalVisitor,
): Html => {
  const { counts } = moneyTexts[language]
  const view = countersView(counters)
  const names = Object.keys(counterNames) as (keyof typeof counterNames)[]
  const rows = names
    .filter((name) => view[name] > 0)
    .map((name) => sumRow(counterNames[name][language], numberFormat(locale).format(view[name])))
  const table = html`<table class="grid steps">
    <tbody>
      ${rows}
    </tbody>
  </table>`
  return card(counts, scrolling(counts, table))
}
