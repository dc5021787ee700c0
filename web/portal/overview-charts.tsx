import type { Html } from '../ui/components.tsx'
import { decimalsOf } from '../../domain/money/currency.ts'
import type { Instant } from '../../domain/time.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { dateFormat, numberFormat, shownAmount } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import { chartHtml, type Chart, type Column as Drawn } from './chart.ts'
import {
  periodText,
  before,
  hourMs,
  stepOf,
  type AskedPeriod,
  type Step,
} from './overview-period.tsx'
import type { Column, Numbers, Taken } from './overview-numbers.ts'
import type { PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'

export type Shown = {
  readonly visitor: PortalVisitor
  readonly numbers: Numbers
  readonly asked: AskedPeriod
  readonly posName: (id: string) => string
}

/** A day as people of the merchant's time zone call it. */
const dayText = ({ visitor: { locale, shop } }: Shown, at: Instant, hasWeekday: boolean): string =>
  dateFormat(locale, {
    timeZone: shop.timeZone,
    day: 'numeric',
    month: 'short',
    ...(hasWeekday && { weekday: 'short' }),
  }).format(at)

/** An hour of the clock on the wall. */
const hourText = ({ visitor: { locale } }: Shown, hour: number, hasMinutes: boolean): string =>
  dateFormat(locale, {
    timeZone: 'UTC',
    hour: '2-digit',
    ...(hasMinutes && { minute: '2-digit' }),
  }).format(hour * hourMs)

/** What a column is called: an hour, a day, or the first day of a week. */
export const columnName = (shown: Shown, from: Instant, index: number): string =>
  stepOf(shown.asked.period) === 'hour'
    ? hourText(shown, index, true)
    : dayText(shown, from, stepOf(shown.asked.period) === 'day')

/** The payments of the days of a column. */
export const paymentsHref = ({ visitor: { shop } }: Shown, { from, to }: Column): string => {
  const [since, until] = [from, Math.max(from, to - 1)].map((at) => dateIn(shop.timeZone, at))
  return portalPath(shop.merchant, `payments?since=${since}&until=${until}`)
}

const takenText = ({ visitor, numbers }: Shown, taken: Taken): string => {
  const { language, locale } = visitor
  const texts = textsIn[language].overview
  const amount = (minor: number) => shownAmount(minor, numbers.currency, locale)
  const refunded = taken.refunded === 0 ? 'none' : amount(taken.refunded)
  return texts.taken({ captured: amount(taken.captured), refunded, count: taken.payments })
}

/** A column in words, and the one that it is compared with. */
const toldOf = (shown: Shown, column: Column, index: number): readonly string[] => {
  const { visitor, asked } = shown
  const isHour = stepOf(asked.period) === 'hour'
  const earlier = isHour
    ? dayText(shown, column.before.from, true)
    : columnName(shown, column.before.from, index)
  return [
    `${columnName(shown, column.from, index)}: ${takenText(shown, column)}`,
    `${textsIn[visitor.language].overview.earlier}, ${earlier}: ${takenText(shown, column.before)}`,
  ]
}

const compact = (locale: string) => {
  const format = numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  return (value: number): string => format.format(value)
}

const labelling: Readonly<Record<Step, Pick<Chart, 'labelEvery' | 'labelled'>>> = {
  hour: { labelEvery: [1, 2, 3, 6], labelled: 'first' },
  day: { labelEvery: [1, 2, 7, 14, 28], labelled: 'last' },
  week: { labelEvery: [1, 2, 4, 8, 16], labelled: 'first' },
}

type Marks = readonly (readonly [mark: string, name: string])[]

/** What the marks of a chart stand for. */
const legendHtml = ({ visitor, asked }: Shown, marks: Marks) => {
  const { locale, language } = visitor
  const texts = textsIn[language].overview
  const earlier = `${texts.earlier}, ${periodText(before(asked.period), locale)}`
  const all = [...marks, ['earlier', earlier]]
  return (
    <ul class="legend">
      {all.map(([mark, name]) => (
        <li class={`of-${mark}`}>{name}</li>
      ))}
    </ul>
  )
}

/** The columns of a chart of some of what was taken. */
const drawn = (shown: Shown, valuesOf: (taken: Taken) => Drawn['before']): readonly Drawn[] =>
  shown.numbers.columns.map((column, index) => ({
    label:
      stepOf(shown.asked.period) === 'hour'
        ? hourText(shown, index, false)
        : dayText(shown, column.from, false),
    now: column.hasBegun ? valuesOf(column) : null,
    before: valuesOf(column.before),
    told: toldOf(shown, column, index),
    href: paymentsHref(shown, column),
  }))

const chartCard = (
  shown: Shown,
  marks: Marks,
  chart: Pick<Chart, 'title' | 'tick' | 'columns'>,
) => (
  <section class="card chart-card">
    <h2>{chart.title}</h2>
    {legendHtml(shown, marks)}
    {chartHtml({ ...chart, ...labelling[stepOf(shown.asked.period)] })}
  </section>
)

/** Turnover, with refunds below it. */
export const turnoverChart = (shown: Shown): Html => {
  const { visitor, numbers, asked } = shown
  const { currency } = numbers
  const texts = textsIn[visitor.language].overview
  const scale = 10 ** decimalsOf(currency)
  const marks: Marks = [
    ['up', texts.turnover],
    ['down', texts.refunds],
  ]
  return chartCard(shown, marks, {
    title: texts.turnoverBy({ step: stepOf(asked.period), currency }),
    tick: compact(visitor.locale),
    columns: drawn(shown, ({ captured, refunded }) => ({
      value: captured / scale,
      below: refunded / scale,
    })),
  })
}

/** The number of payments. */
export const countsChart = (shown: Shown): Html => {
  const { visitor, asked } = shown
  const texts = textsIn[visitor.language].overview
  const tick = compact(visitor.locale)
  return chartCard(shown, [['up', texts.payments]], {
    title: texts.paymentsBy({ step: stepOf(asked.period) }),
    tick: (value) => (Number.isInteger(value) ? tick(value) : ''),
    columns: drawn(shown, ({ payments }) => ({ value: payments, below: 0 })),
  })
}
