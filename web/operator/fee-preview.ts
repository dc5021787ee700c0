import { html } from 'hono/html'
import { filledText } from '../../application/filled-text.ts'
import type { FeePlan } from '../../application/set-fees.ts'
import type { FeeTerms } from '../../domain/accounting/fees.ts'
import { vatRateOf } from '../../domain/accounting/taxcodes.ts'
import { jsonEquals } from '../../domain/json-equality.ts'
import type { Instant } from '../../domain/time.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { shownAmount } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { headedTable, scrolling } from '../portal/parts.ts'
import { dayText } from '../portal/money-parts.ts'
import { percent } from '../portal/money-terms.ts'
import type { LobbyVisitor } from '../staff/frame.ts'
import type { FeePlace } from './fee-form.ts'

type Reader = Pick<LobbyVisitor, 'language' | 'locale'>

/** Each part of the terms in words, in the order of the form. */
const linesOf = (
  { texts, currency }: FeePlace,
  { locale }: Reader,
  terms: FeeTerms,
): readonly (readonly [name: string, value: string])[] => {
  const amount = (minor: number) => shownAmount(minor, currency, locale)
  const vat = (['transaction', 'permission', 'settlement'] as const).map((what) =>
    percent(vatRateOf(what, terms.taxcode, terms.vat), locale),
  )
  const ofEach = (text: string) => filledText(text, currency)
  return [
    [texts.transactionRate, percent(terms.transactionRate, locale)],
    [ofEach(texts.transactionFixed), amount(terms.transactionFixed)],
    [texts.interchange, percent(terms.interchangeRate, locale)],
    [ofEach(texts.permissionFixed), amount(terms.permissionFixed)],
    [ofEach(texts.settlementFixed), amount(terms.settlementFixed)],
    [texts.taxcode, `${terms.taxcode} (${vat.join(', ')})`],
    [texts.refunds, terms.refundsReturnFees ? texts.refundsReturn : texts.refundsKeep],
  ]
}

const termsIn = ({ from: _, currency: __, ...terms }: FeePlan['schedule']): FeeTerms => terms

const plain = { language: 'en', locale: 'en' } as const

/** Whether anything would be another. */
const changesTerms = ({ schedule, before }: FeePlan, place: FeePlace): boolean =>
  !jsonEquals(linesOf(place, plain, before), linesOf(place, plain, termsIn(schedule)))

/** What holds before and from that day on; what changes stands out. */
export const previewHtml = (place: FeePlace, visitor: Reader, plan: FeePlan, at: Instant): Html => {
  const { texts, timeZone } = place
  const { schedule, before, later } = plan
  const [next] = later
  const was = linesOf(place, visitor, before)
  const rows = linesOf(place, visitor, termsIn(schedule)).map(([name, value], index) => {
    const earlier = was[index]?.[1] ?? ''
    return html`<tr>
      <th scope="row">${name}</th>
      <td>${earlier}</td>
      <td>${earlier === value ? value : html`<b class="changed">${value}</b>`}</td>
    </tr>`
  })
  const heads = [texts.what, texts.now, texts.then]
  return html`${scrolling(texts.what, headedTable('grid preview', heads, rows))}
  ${changesTerms(plan, place) ? '' : html`<p class="aside">${texts.none}</p>`}
  ${schedule.from <= at ? html`<p class="aside">${texts.past}</p>` : ''}
  ${
    next
      ? html`<p class="aside">
          ${filledText(texts.later, dayText(dateIn(timeZone, next.from), visitor))}
        </p>`
      : ''
  }`
}
