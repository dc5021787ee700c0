import { Field } from '../ui/fields.tsx'
import { Hidden, Link, type Html } from '../ui/components.tsx'
import { z } from 'zod'
import { mondayOf } from '../../domain/calendar.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import {
  dayIn,
  instantOn,
  startOf,
  wallClock,
  type DayNumber,
  type TimeZone,
} from '../../domain/time-zone.ts'
import { dayNumber } from './payments/query.ts'
import { dateFormat } from '../ui/money.tsx'
import { portalPath } from './areas.ts'
import type { PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { filledText } from '../../texts/message.ts'

const text = (description: string) => z.string().max(300).optional().meta({ description })

/** The period of the overview stands in its address. */
export const overviewQuery = z.object({
  days: text(
    '`1`, `7`, `30` or `90`: so many days, the last of which is today; `this_week` since Monday, ' +
      '`last_week` before it. 30 if not given.',
  ),
  since: text('From this day on, `YYYY-MM-DD`.'),
  until: text('Up to and with this day; today if not given.'),
  currency: text('The numbers of this currency; of the merchant if not given.'),
})

/** What is often asked for: a week, or so many days. */
export const presets = ['1', 'this_week', 'last_week', '7', '30', '90'] as const

export type Preset = (typeof presets)[number]

const usual = '30'

const mostDays = 366

export const hourMs = 3_600_000

/** With more, a column is a week. */
const mostColumns = 45

/** Whole days, by the clocks of the merchant. */
export type Period = {
  readonly first: DayNumber
  readonly last: DayNumber
  /** How many days before is what it is compared with; as many as it has if not given. */
  readonly apart?: number
}

export const daysOf = ({ first, last }: Period): number => last - first + 1

export const daysApart = (period: Period): number => period.apart ?? daysOf(period)

type PeriodProblem = 'wrongDay' | 'wrongOrder' | 'wrongLength'

export type ChosenPeriod = {
  readonly period: Period
  readonly today: DayNumber
  /** Null where days were given. */
  readonly preset: Preset | null
  /** As they were given. */
  readonly since: string
  readonly until: string
  /** Of the numbers; empty for the merchant's own. */
  readonly currency: string
  readonly problems: { readonly since?: PeriodProblem; readonly until?: PeriodProblem }
}

const problemOf = (period: Period): PeriodProblem | undefined => {
  if (period.first > period.last) return 'wrongOrder'
  return daysOf(period) > mostDays ? 'wrongLength' : undefined
}

/** A day since 1970, before which nothing was sold. */
const laterDay = (text: string): DayNumber | null => {
  const day = dayNumber(text)
  return day !== null && day >= 0 ? day : null
}

/** A week begins on Monday; this one is compared with as much of the one before. */
const presetPeriod = (preset: Preset, today: DayNumber): Period => {
  const monday = mondayOf(today)
  if (preset === 'this_week') return { first: monday, last: today, apart: 7 }
  if (preset === 'last_week') return { first: monday - 7, last: monday - 1 }
  return { first: today - Number(preset) + 1, last: today }
}

/** What the address asks for. What cannot be read is told, and is as if it were not there. */
export const chosenPeriod = (
  search: URLSearchParams,
  timeZone: TimeZone,
  at: Instant,
): ChosenPeriod => {
  const field = (name: string): string => (search.get(name) ?? '').trim().slice(0, 300)
  const [since, until, currency] = [field('since'), field('until'), field('currency')]
  const today = dayIn(timeZone, at)
  const last = until === '' ? today : laterDay(until)
  const first = since === '' ? (last ?? today) - Number(usual) + 1 : laterDay(since)
  const problems: { since?: PeriodProblem; until?: PeriodProblem } = {}
  if (first === null) problems.since = 'wrongDay'
  if (last === null) problems.until = 'wrongDay'
  if (first !== null && last !== null) {
    const period = { first, last: Math.min(last, today) }
    const problem = problemOf(period)
    if (problem) problems.since = problem
    else if (since !== '' || until !== '')
      return { period, today, preset: null, since, until, currency, problems }
  }
  const preset = presets.find((one) => one === field('days')) ?? usual
  return { period: presetPeriod(preset, today), today, preset, since, until, currency, problems }
}

export const includesToday = ({ first, last }: Period, today: DayNumber): boolean =>
  first <= today && today <= last

/** What a period is compared with. */
export const before = (period: Period): Period => {
  const apart = daysApart(period)
  return { first: period.first - apart, last: period.last - apart }
}

export type Step = 'hour' | 'day' | 'week'

export const stepOf = (period: Period): Step => {
  const days = daysOf(period)
  if (days === 1) return 'hour'
  return days > mostColumns ? 'week' : 'day'
}

/**
 * Where each column begins, and where the last ends. A day has 24 columns by the clock on the wall:
 * the hour that daylight saving skips is empty, the hour that it repeats is twice as long.
 */
export const edgesOf = (period: Period, timeZone: TimeZone): readonly Instant[] => {
  const { first, last } = period
  const step = stepOf(period)
  if (step === 'hour')
    return Array.from({ length: dayMs / hourMs + 1 }, (_, hour) =>
      instantOn(timeZone, first, hour * hourMs),
    )
  const days = step === 'day' ? 1 : 7
  const count = Math.ceil(daysOf(period) / days)
  // The newest week is whole.
  const starts = Array.from({ length: count }, (_, index) => last + 1 - (count - index) * days)
  return [...starts, last + 1].map((day) => startOf(timeZone, Math.max(day, first)))
}

/** The same time of day, so many days before. */
export const sameTimeBefore = (at: Instant, days: number, timeZone: TimeZone): Instant => {
  const wall = wallClock(timeZone, at)
  const day = Math.floor(wall / dayMs)
  return instantOn(timeZone, day - days, wall - day * dayMs)
}

type Place = Pick<ChosenPeriod, 'preset' | 'since' | 'until' | 'currency'>

/** The address of the overview, with what is not usual. */
const overviewHref = (
  visitor: PortalVisitor,
  { preset, since, until, currency }: Place,
): string => {
  const days = preset === null || preset === usual ? '' : preset
  const own = currency === visitor.shop.currency ? '' : currency
  const fields = Object.entries({ days, since, until, currency: own }).filter(
    ([, text]) => text !== '',
  )
  const query = fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
  return `${portalPath(visitor.shop.merchant)}${query}`
}

/** A link for each currency, where there are several. */
export const currencyTabs = (
  chosen: ChosenPeriod,
  visitor: PortalVisitor,
  currencies: readonly string[],
  current: string,
): Html =>
  currencies.length < 2 ? null : (
    <nav class="tabs" aria-label={textsIn[visitor.language].overview.currency}>
      {currencies.map((currency) => (
        <Link
          href={overviewHref(visitor, { ...chosen, currency })}
          aria-current={currency === current ? 'true' : undefined}
          text={currency}
        />
      ))}
    </nav>
  )

/** Days as people write them: `6 Nov – 5 Dec 2026`. */
export const periodText = ({ first, last }: Period, locale: string): string => {
  const format = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return dateFormat(locale, format).formatRange(first * dayMs, last * dayMs)
}

/** Which days are shown, and which they are compared with. */
export const comparedText = (
  { period, today }: ChosenPeriod,
  { language, locale }: PortalVisitor,
): string => {
  const texts = textsIn[language].overview
  const [now, earlier] = [period, before(period)].map((one) => periodText(one, locale))
  const text = includesToday(period, today) ? texts.comparedToNow : texts.compared
  return filledText(text, { period: now ?? '', earlier: earlier ?? '' })
}

/** A menu of the periods that are often asked for, and a form for any other. */
export const periodHtml = (chosen: ChosenPeriod, visitor: PortalVisitor): Html => {
  const { period, preset, currency, problems } = chosen
  const texts = textsIn[visitor.language].overview
  const path = portalPath(visitor.shop.merchant)
  const link = (other: Preset): Html => (
    <Link
      href={overviewHref(visitor, { preset: other, since: '', until: '', currency })}
      aria-current={other === preset ? 'true' : undefined}
      text={texts[`days_${other}`]}
    />
  )
  const field = (name: 'since' | 'until'): Html => {
    const problem = problems[name]
    return (
      <Field
        name={name}
        label={texts[name]}
        problem={problem && texts[problem]}
        type="date"
        value={chosen[name]}
      />
    )
  }
  return (
    <details class="period find" open={Object.keys(problems).length > 0}>
      <summary>
        {preset === null ? periodText(period, visitor.locale) : texts[`days_${preset}`]}
      </summary>
      <div class="card">
        <nav aria-label={texts.period}>{presets.map(link)}</nav>
        <form method="get" action={path}>
          {currency !== '' && <Hidden fields={{ currency }} />}
          {field('since')} {field('until')}
          <button class="second">{texts.show}</button>
        </form>
      </div>
    </details>
  )
}
