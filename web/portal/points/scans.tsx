import { Table, type Html } from '../../ui/components.tsx'
import type { Instant } from '../../../domain/time.ts'
import { dateIn } from '../../../domain/time-zone.ts'
import { shopTime } from '../../ui/money.tsx'
import type { PortalVisitor } from '../page.tsx'
import { dayText } from '../money-parts.tsx'
import { daysOfScans } from './list.tsx'
import type { CodeData, PointNeeds } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export type ScanNeeds = PointNeeds & {
  readonly dayStarts: (timeZone: string, at: Instant, days: number) => readonly Instant[]
  readonly scans: {
    newest(
      merchant: string,
      shortlink: string,
      limit: number,
    ): readonly { readonly argstring: string; readonly scannedAt: Instant }[]
  }
}

const scansListed = 20
const labelsListed = 100

type Day = { readonly day: string; readonly count: number }

const daysOf = (
  { scanCounts }: ScanNeeds,
  { shop }: PortalVisitor,
  { id }: CodeData,
  starts: readonly Instant[],
): readonly Day[] => {
  const counts = scanCounts.since(id, starts[0] ?? 0)
  return starts.slice(0, -1).map((start, index) => {
    const end = starts[index + 1] ?? Infinity
    const inDay = counts.filter(({ since }) => since >= start && since < end)
    const count = inDay.reduce((sum, { count }) => sum + count, 0)
    return { day: dateIn(shop.timeZone, start), count }
  })
}

const barWidth = 22
const barHeight = 90

/** A bar for each day; the same numbers stand in the table below. */
const barsHtml = (days: readonly Day[], says: string): Html => {
  const most = Math.max(1, ...days.map(({ count }) => count))
  const width = days.length * (barWidth + 6)
  return (
    <svg
      class="scans"
      preserveAspectRatio="xMinYMax"
      viewBox={`0 0 ${width} ${barHeight}`}
      role="img"
      aria-label={says}
    >
      {days.map(({ count }, index) => {
        const height = (count / most) * barHeight
        return (
          <rect
            x={index * (barWidth + 6)}
            y={(barHeight - height).toFixed(1)}
            width={barWidth}
            height={height.toFixed(1)}
            rx="3"
          />
        )
      })}
    </svg>
  )
}

const daysHtml = (visitor: PortalVisitor, days: readonly Day[]): Html => {
  const texts = textsIn[visitor.language].points
  const scanned = days.filter(({ count }) => count > 0).toReversed()
  if (scanned.length === 0) return null
  const rows = scanned.map(({ day, count }) => [dayText(day, visitor), { number: count }])
  return (
    <Table
      label={texts.scans}
      kind="grid"
      heads={[texts.day, { number: texts.scans }]}
      rows={rows}
    />
  )
}

type Counts = ReadonlyMap<string, number>

/** The labels that were scanned most, by name; that of the poster says nothing and comes last. */
const mostScanned = (counts: Counts, locale: string): readonly string[] => {
  const byName = new Intl.Collator(locale, { numeric: true })
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, labelsListed)
    .map(([label]) => label)
    .toSorted((a, b) => Number(a === '') - Number(b === '') || byName.compare(a, b))
}

const labelHtml = (texts: Catalogue['points'], label: string): Html =>
  label === '' ? <span class="quiet">{texts.noLabel}</span> : label

/** How often each label was scanned today, in a week, and in all the days. */
const labelsHtml = (
  { scanCounts }: ScanNeeds,
  { language, locale }: PortalVisitor,
  { id }: CodeData,
  starts: readonly Instant[],
): Html => {
  const texts = textsIn[language].points
  const since = (days: number): Counts => {
    const [start = 0, end = 0] = [starts.at(-1 - days), starts.at(-1)]
    const found = scanCounts.ofLabels(id, start, end)
    return new Map(found.map(({ argstring, count }) => [argstring, count]))
  }
  const times = [since(1), since(7), since(daysOfScans)] as const
  const labels = mostScanned(times[2], locale)
  const heads = [texts.today, texts.days({ count: 7 }), texts.days({ count: daysOfScans })]
  return [
    <h2>{texts.byLabel}</h2>,
    labels.length === 0 ? (
      <p class="quiet">{texts.scansNone}</p>
    ) : (
      <Table
        label={texts.byLabel}
        kind="grid labels-of"
        heads={[texts.label, ...heads.map((number) => ({ number }))]}
        rows={labels.map((label) => [
          { head: labelHtml(texts, label) },
          ...times.map((counts) => ({ number: counts.get(label) ?? 0 })),
        ])}
      />
    ),
    times[2].size > labels.length && (
      <p class="quiet small">{texts.labelsShown({ count: labelsListed })}</p>
    ),
  ]
}

const newestHtml = ({ scans }: ScanNeeds, visitor: PortalVisitor, { id }: CodeData): Html => {
  const texts = textsIn[visitor.language].points
  const newest = scans.newest(visitor.shop.merchant, id, scansListed)
  if (newest.length === 0) return null
  return [
    <h2>{texts.newestScans}</h2>,
    <Table
      label={texts.newestScans}
      kind="grid labels-of"
      heads={[texts.label, texts.time]}
      rows={newest.map(({ argstring, scannedAt }) => [
        labelHtml(texts, argstring),
        shopTime(scannedAt, visitor),
      ])}
    />,
  ]
}

/** How often a code was scanned by day and by label, and its newest scans. */
export const scansHtml = (
  needs: ScanNeeds,
  visitor: PortalVisitor,
  code: CodeData,
  at: Instant,
): Html => {
  const texts = textsIn[visitor.language].points
  const starts = needs.dayStarts(visitor.shop.timeZone, at, daysOfScans)
  const days = daysOf(needs, visitor, code, starts)
  const title = `${texts.scansIn}: ${days.reduce((sum, { count }) => sum + count, 0)}`
  return [
    <section class="card" data-part="scans">
      {labelsHtml(needs, visitor, code, starts)}
      {newestHtml(needs, visitor, code)}
    </section>,
    <section class="card" data-part="scans-by-day">
      <h2>{title}</h2>
      {barsHtml(days, title)}
      {daysHtml(visitor, days)}
    </section>,
  ]
}
