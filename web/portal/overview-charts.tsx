import type { Html } from '../ui/components.tsx'
import { decimalsOf } from '../../domain/money/currency.ts'
import type { Instant } from '../../domain/time.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { dateFormat, numberFormat, minorText } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import { chartHtml, type Chart, type Column as Drawn } from './chart.ts'
import {
  periodText,
  before,
  hourMs,
  stepOf,
  type ChosenPeriod,
  type Step,
} from './overview-period.tsx'
import type { Column, Numbers, Taken } from './overview-numbers.ts'
import type { PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'

export type OverviewView = {
  readonly visitor: PortalVisitor
  readonly numbers: Numbers
  readonly chosen: ChosenPeriod
  readonly posName: (id: string) => string
}

/** A day as people of the merchant's time zone call it. */
const dayText = (
  { visitor: { locale, shop } }: OverviewView,
  at: Instant,
  hasWeekday: boolean,
): string =>
  dateFormat(locale, {
    timeZone: shop.timeZone,
    day: 'numeric',
    month: 'short',
    ...(hasWeekday && { weekday: 'short' }),
  }).format(at)

/** An hour of the clock on the wall. */
const hourText = (
  { visitor: { locale } }: OverviewView,
  hour: number,
  hasMinutes: boolean,
): string =>
  dateFormat(locale, {
    timeZone: 'UTC',
    hour: '2-digit',
    ...(hasMinutes && { minute: '2-digit' }),
  }).format(hour * hourMs)

/** What a column is called: an hour, a day, or the first day of a week. */
export const columnName = (view: OverviewView, from: Instant, index: number): string =>
  stepOf(view.chosen.period) === 'hour'
    ? hourText(view, index, true)
    : dayText(view, from, stepOf(view.chosen.period) === 'day')

/** The payments of the days of a column. */
export const paymentsHref = ({ visitor: { shop } }: OverviewView, { from, to }: Column): string => {
  const [since, until] = [from, Math.max(from, to - 1)].map((at) => dateIn(shop.timeZone, at))
  return portalPath(shop.merchant, `payments?since=${since}&until=${until}`)
}

const takenText = ({ visitor, numbers }: OverviewView, taken: Taken): string => {
  const { language, locale } = visitor
  const texts = textsIn[language].overview
  const amount = (minor: number) => minorText(minor, numbers.currency, locale)
  const refunded = taken.refunded === 0 ? 'none' : amount(taken.refunded)
  return texts.taken({ captured: amount(taken.captured), refunded, count: taken.payments })
}

/** A column in words, and the one that it is compared with. */
const linesOf = (view: OverviewView, column: Column, index: number): readonly string[] => {
  const { visitor, chosen } = view
  const isHour = stepOf(chosen.period) === 'hour'
  const earlier = isHour
    ? dayText(view, column.before.from, true)
    : columnName(view, column.before.from, index)
  return [
    `${columnName(view, column.from, index)}: ${takenText(view, column)}`,
    `${textsIn[visitor.language].overview.earlier}, ${earlier}: ${takenText(view, column.before)}`,
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
const legendHtml = ({ visitor, chosen }: OverviewView, marks: Marks) => {
  const { locale, language } = visitor
  const texts = textsIn[language].overview
  const earlier = `${texts.earlier}, ${periodText(before(chosen.period), locale)}`
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
const drawn = (view: OverviewView, valuesOf: (taken: Taken) => Drawn['before']): readonly Drawn[] =>
  view.numbers.columns.map((column, index) => ({
    label:
      stepOf(view.chosen.period) === 'hour'
        ? hourText(view, index, false)
        : dayText(view, column.from, false),
    now: column.hasBegun ? valuesOf(column) : null,
    before: valuesOf(column.before),
    lines: linesOf(view, column, index),
    href: paymentsHref(view, column),
  }))

const chartCard = (
  view: OverviewView,
  marks: Marks,
  chart: Pick<Chart, 'title' | 'tick' | 'columns'>,
) => (
  <section class="card chart-card">
    <h2>{chart.title}</h2>
    {legendHtml(view, marks)}
    {chartHtml({ ...chart, ...labelling[stepOf(view.chosen.period)] })}
  </section>
)

/** Turnover, with refunds below it. */
export const turnoverChart = (view: OverviewView): Html => {
  const { visitor, numbers, chosen } = view
  const { currency } = numbers
  const texts = textsIn[visitor.language].overview
  const scale = 10 ** decimalsOf(currency)
  const marks: Marks = [
    ['up', texts.turnover],
    ['down', texts.refunds],
  ]
  return chartCard(view, marks, {
    title: texts.turnoverBy({ step: stepOf(chosen.period), currency }),
    tick: compact(visitor.locale),
    columns: drawn(view, ({ captured, refunded }) => ({
      value: captured / scale,
      below: refunded / scale,
    })),
  })
}

/** The number of payments. */
export const countsChart = (view: OverviewView): Html => {
  const { visitor, chosen } = view
  const texts = textsIn[visitor.language].overview
  const tick = compact(visitor.locale)
  return chartCard(view, [['up', texts.payments]], {
    title: texts.paymentsBy({ step: stepOf(chosen.period) }),
    tick: (value) => (Number.isInteger(value) ? tick(value) : ''),
    columns: drawn(view, ({ payments }) => ({ value: payments, below: 0 })),
  })
}
