import { html } from 'hono/html'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { numberFormat } from '../ui/formats.ts'
import { shownAmount } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { portalPath } from './areas.ts'
import type { Shown } from './overview-charts.ts'
import type { Numbers, Taken } from './overview-numbers.ts'
import { textsIn } from '../../texts/catalogue.ts'

type Tile = {
  readonly name: string
  readonly of: (taken: Taken) => number
  readonly shown: (value: number) => string
  /** Whether it is good that it grows; undefined if neither. */
  readonly isGood?: boolean
  /** What it leaves out. */
  readonly note?: Html
}

const tilesOf = ({ visitor, numbers }: Shown): readonly Tile[] => {
  const { language, locale, me, shop } = visitor
  const texts = textsIn[language].overview
  const count = numberFormat(locale)
  const amount = (minor: number) => shownAmount(minor, numbers.currency, locale)
  const terms = portalPath(shop.merchant, 'money/terms')
  const note = html`${texts.feesOf} <a href="${terms}">${texts.feesTerms}</a>`
  const fees: Tile = { name: texts.fees, of: (taken) => taken.fees, shown: amount, note }
  return [
    { name: texts.turnover, of: ({ captured }) => captured, shown: amount, isGood: true },
    {
      ...{ name: texts.payments, of: ({ payments }: Taken) => payments, isGood: true },
      shown: (one) => count.format(one),
    },
    { name: texts.refunds, of: ({ refunded }) => refunded, shown: amount, isGood: false },
    ...(mayDo(me.terms, 'see_money') ? [fees] : []),
  ]
}

/** Compared with the time before; nothing where there is nothing to compare with. */
const changeHtml = ({ of, isGood }: Tile, numbers: Numbers, locale: string): Html | '' => {
  const [now, before] = [of(numbers.total), of(numbers.before)]
  if (before <= 0) return ''
  const format = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 } as const
  const text = numberFormat(locale, format).format((now - before) / before)
  const kind = now === before || isGood === undefined ? '' : now > before === isGood
  const names = { '': 'badge', true: 'badge good', false: 'badge bad' }
  return html`<span class="${names[`${kind}`]}">${text}</span>`
}

/** The figures of the period, what they are compared with, and those of today. */
export const tilesHtml = (shown: Shown): Html => {
  const { visitor, numbers, asked } = shown
  const texts = textsIn[visitor.language].overview
  const { today, total, before } = numbers
  return html`<dl class="tiles">
    ${tilesOf(shown).map((tile) => {
      const { name, of, shown: text, note } = tile
      return html`<div class="card tile">
        <dt>${name}</dt>
        <dd class="figure">${text(of(total))}</dd>
        <dd class="quiet small">
          ${changeHtml(tile, numbers, visitor.locale)} ${texts.before({ figure: text(of(before)) })}
        </dd>
        ${
          asked.period.first === asked.today
            ? ''
            : html`<dd class="quiet small">${texts.today}: <b>${text(of(today))}</b></dd>`
        }
        ${note === undefined ? '' : html`<dd class="quiet small">${note}</dd>`}
      </div>`
    })}
  </dl>`
}
