import { html } from 'hono/html'
import { dayMs } from '../../domain/time.ts'
import { inputField } from '../ui/fields.ts'
import { dateFormat } from '../ui/formats.ts'
import type { Html } from '../ui/page.ts'
import { portalPath } from './areas.ts'
import {
  before,
  includesToday,
  presetQuery,
  presets,
  type AskedPeriod,
  type Period,
  type Preset,
} from './overview-period.ts'
import type { PortalVisitor } from './page.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'

/** Days as people write them: `6 Nov – 5 Dec 2026`. */
export const periodText = ({ first, last }: Period, locale: string): string => {
  const format = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return dateFormat(locale, format).formatRange(first * dayMs, last * dayMs)
}

/** Which days are shown, and which they are compared with. */
export const comparedHtml = (
  { period, today }: AskedPeriod,
  { language, locale, shop }: PortalVisitor,
): Html => {
  const texts = textsIn[language].overview
  const [now, earlier] = [period, before(period)].map((one) => periodText(one, locale))
  const text = includesToday(period, today) ? texts.comparedToNow : texts.compared
  return html`<p class="quiet small compared">
    ${filledText(text, { period: now ?? '', earlier: earlier ?? '' })}
    ${texts.zone({ timeZone: shop.timeZone })}
  </p>`
}

/** The periods that are often asked for as links, and a form for any other. */
export const periodHtml = (asked: AskedPeriod, visitor: PortalVisitor): Html => {
  const { since, until, problems } = asked
  const texts = textsIn[visitor.language].overview
  const path = portalPath(visitor.shop.merchant)
  const link = (preset: Preset): Html =>
    html`<a
      href="${path}${presetQuery(preset)}"
      ${preset === asked.preset ? html`aria-current="true"` : ''}
      >${texts[`days_${preset}`]}</a
    >`
  const field = (name: 'since' | 'until', value: string): Html => {
    const problem = problems[name]
    return inputField({
      ...{ name, label: texts[name], problem: problem && texts[problem] },
      attributes: html`type="date" value="${value}"`,
    })
  }
  return html`<div class="period">
    <nav aria-label="${texts.period}">${presets.map(link)}</nav>
    <details class="find" ${since !== '' || until !== '' ? html`open` : ''}>
      <summary>${texts.fromTo}</summary>
      <form method="get" action="${path}">
        <div>${field('since', since)}</div>
        <div>${field('until', until)}</div>
        <button class="second">${texts.show}</button>
      </form>
    </details>
  </div>`
}
