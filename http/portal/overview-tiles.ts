import { html } from 'hono/html'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { numberFormat } from '../payer/formats.ts'
import { shownAmount } from '../payer/money.ts'
import type { Html } from '../payer/page.ts'
import { filledText } from '../payer/words.ts'
import { portalPath } from './areas.ts'
import type { Shown } from './overview-charts.ts'
import type { Taken } from './overview-numbers.ts'
import { overviewTexts } from './texts-overview.ts'

type Tile = {
  readonly name: string
  readonly of: (taken: Taken) => number
  readonly shown: (value: number) => string
  /** What it leaves out. */
  readonly note?: Html
}

const tilesOf = ({ visitor, numbers }: Shown): readonly Tile[] => {
  const { language, locale, me, shop } = visitor
  const texts = overviewTexts[language]
  const count = numberFormat(locale)
  const amount = (minor: number) => shownAmount(minor, numbers.currency, locale)
  const terms = portalPath(shop.merchant, 'money/terms')
  const note = html`${texts.feesWhat} <a href="${terms}">${texts.feesTerms}</a>`
  const fees: Tile = { name: texts.fees, of: (taken) => taken.fees, shown: amount, note }
  return [
    { name: texts.turnover, of: ({ captured }) => captured, shown: amount },
    { name: texts.payments, of: ({ payments }) => payments, shown: (one) => count.format(one) },
    { name: texts.refunds, of: ({ refunded }) => refunded, shown: amount },
    ...(mayDo(me.terms, 'see_money') ? [fees] : []),
  ]
}

/** Compared with the same time before; nothing where there is nothing to compare with. */
const changeHtml = (now: number, before: number, locale: string): Html | '' => {
  if (before <= 0) return ''
  const format = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 } as const
  const text = numberFormat(locale, format).format((now - before) / before)
  return html`<span class="badge">${text}</span>`
}

/** Today, and the last thirty days beside those before them. */
export const tilesHtml = (shown: Shown): Html => {
  const { visitor, numbers } = shown
  const texts = overviewTexts[visitor.language]
  const { today, total, before } = numbers
  return html`<dl class="tiles">
    ${tilesOf(shown).map(
      ({ name, of, shown: text, note }) =>
        html`<div class="card tile">
          <dt>${name}</dt>
          <dd><span class="quiet small">${texts.today}</span></dd>
          <dd class="figure">${text(of(today))}</dd>
          <dd>
            <span class="quiet small"
              >${texts.last30} ${changeHtml(of(total), of(before), visitor.locale)}</span
            >
            <b>${text(of(total))}</b>
          </dd>
          <dd class="quiet small">${filledText(texts.before, text(of(before)))}</dd>
          ${note === undefined ? '' : html`<dd class="quiet small">${note}</dd>`}
        </div>`,
    )}
  </dl>`
}
