import { html } from 'hono/html'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import type { Instant } from '../../domain/time.ts'
import { dateFormat, numberFormat } from '../payer/formats.ts'
import { plainAmounts, shownAmount } from '../payer/money.ts'
import type { Html } from '../payer/page.ts'
import { filledText } from '../payer/words.ts'
import { portalPath } from './areas.ts'
import { chartHtml, type Column } from './chart.ts'
import { isNothing, type Numbers, type Taken } from './overview-numbers.ts'
import type { PortalVisitor } from './page.ts'
import { overviewTexts } from './texts-overview.ts'

export type Shown = {
  readonly visitor: PortalVisitor
  readonly numbers: Numbers
  readonly timeZone: string
  readonly posName: (id: string) => string
}

/** A day as people of the merchant's time zone call it. */
export const dayText = (
  { visitor: { locale }, timeZone }: Pick<Shown, 'visitor' | 'timeZone'>,
  at: Instant,
  style: 'short' | 'long' = 'short',
): string =>
  dateFormat(locale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    ...(style === 'long' && { weekday: 'short' }),
  }).format(at)

const isoDay = (at: Instant, timeZone: string): string =>
  dateFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at)

/** The payments of a day. */
const dayHref = ({ visitor: { shop }, timeZone }: Shown, from: Instant): string => {
  const day = isoDay(from, timeZone)
  return portalPath(shop.merchant, `payments?since=${day}&until=${day}`)
}

const toldOf = (shown: Shown, taken: Taken, from: Instant): string => {
  const { visitor, numbers } = shown
  const { language, locale } = visitor
  const texts = overviewTexts[language]
  const amount = (minor: number) => shownAmount(minor, numbers.currency, locale)
  const refunded =
    taken.refunded === 0 ? '' : `, ${texts.refunds.toLowerCase()} ${amount(taken.refunded)}`
  const count = `${taken.payments} ${texts.payments.toLowerCase()}`
  return `${dayText(shown, from, 'long')}: ${amount(taken.captured)}${refunded}, ${count}`
}

const compact = (locale: string) => {
  const format = numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  return (value: number): string => format.format(value)
}

const everyDays = 7

/** Turnover with refunds below it, and the number of payments. */
export const chartsHtml = (shown: Shown): Html => {
  const { visitor, numbers } = shown
  const texts = overviewTexts[visitor.language]
  const { currency, days } = numbers
  const scale = 10 ** decimalsOf(currency)
  const columns = (value: (day: Taken) => number, below: (day: Taken) => number): Column[] =>
    days.map((day, index) => ({
      label: dayText(shown, day.from),
      isLabelled: (days.length - 1 - index) % everyDays === 0,
      value: value(day),
      below: below(day),
      told: toldOf(shown, day, day.from),
      href: dayHref(shown, day.from),
    }))
  const money = columns(
    ({ captured }) => captured / scale,
    ({ refunded }) => refunded / scale,
  )
  const counts = columns(
    ({ payments }) => payments,
    () => 0,
  )
  const tick = compact(visitor.locale)
  const title = filledText(texts.turnoverByDay, currency)
  const whole = (value: number) => (Number.isInteger(value) ? tick(value) : '')
  return html`<section class="card chart-card">
      <h2>${title}</h2>
      ${chartHtml({ kind: 'bars', title, tick, columns: money })}
    </section>
    <section class="card chart-card">
      <h2>${texts.paymentsByDay}</h2>
      ${chartHtml({ kind: 'line', title: texts.paymentsByDay, tick: whole, columns: counts })}
    </section>`
}

type Line = { readonly name: Html | string; readonly taken: Taken }

const tableHtml = ({ visitor, numbers }: Shown, first: string, lines: readonly Line[]): Html => {
  const { language, locale, me } = visitor
  const texts = overviewTexts[language]
  const showsFees = mayDo(me.terms, 'see_money')
  const amount = plainAmounts(locale, numbers.currency)
  const count = numberFormat(locale)
  const cell = (text: string) => html`<td class="number">${text}</td>`
  const head = (text: string) => html`<th scope="col" class="number">${text}</th>`
  return html`<div class="scroll">
    <table class="grid">
      <thead>
        <tr>
          <th scope="col">${first}</th>
          ${head(texts.payments)} ${head(texts.turnover)} ${head(texts.refunds)}
          ${showsFees ? head(texts.fees) : ''}
        </tr>
      </thead>
      <tbody>
        ${lines.map(
          ({ name, taken }) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cell(count.format(taken.payments))} ${cell(amount(taken.captured))}
              ${cell(amount(taken.refunded))} ${showsFees ? cell(amount(taken.fees)) : ''}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** The numbers of the charts, newest day first; days without any are left out. */
export const daysTable = (shown: Shown): Html => {
  const texts = overviewTexts[shown.visitor.language]
  const lines = shown.numbers.days
    .filter((day) => !isNothing(day))
    .toReversed()
    .map((day) => ({
      name: html`<a href="${dayHref(shown, day.from)}">${dayText(shown, day.from, 'long')}</a>`,
      taken: day,
    }))
  return tableHtml(shown, texts.day, [...lines, { name: texts.total, taken: shown.numbers.total }])
}

export const posTable = (shown: Shown): Html => {
  const { visitor, numbers, posName } = shown
  const texts = overviewTexts[visitor.language]
  return tableHtml(
    shown,
    texts.pos,
    numbers.pointsOfSale.map(({ posId, ...taken }) => ({
      name: html`<a
        href="${portalPath(visitor.shop.merchant, `payments?pos=${encodeURIComponent(posId)}`)}"
        >${posName(posId)}</a
      >`,
      taken,
    })),
  )
}
