import type { Html } from '../ui/components.tsx'
import { scaleBand, scaleLinear } from 'd3-scale'
import { html } from 'hono/html'

/** One column of a chart, and where it leads. */
export type Column = {
  readonly label: string
  /** Null for what is still to come. */
  readonly now: Values | null
  /** What it is compared with. */
  readonly before: Values
  /** All of it in lines of words, shown while the column is pointed at or has the focus. */
  readonly lines: readonly string[]
  readonly href: string
}

type Values = {
  readonly value: number
  /** Drawn below the axis. */
  readonly below: number
}

export type Chart = {
  readonly title: string
  readonly columns: readonly Column[]
  readonly tick: (value: number) => string
  /** Every so many columns have a label: the first of these that gives each its room. */
  readonly labelEvery: readonly number[]
  /** Whether the first column or the last has a label. */
  readonly labelled: 'first' | 'last'
}

type Size = {
  readonly width: number
  readonly height: number
  readonly name: 'broad' | 'middle' | 'slim'
}

/** Text keeps its size: the style sheet shows the chart that fits. */
const sizes: readonly Size[] = [
  { width: 860, height: 284, name: 'broad' },
  { width: 540, height: 254, name: 'middle' },
  { width: 320, height: 224, name: 'slim' },
]
const edge = { top: 42, right: 6, bottom: 24, left: 46 }
const ticks = 4
const labelRoom = 58
const lineHeight = 15

const rounded = (value: number): string => value.toFixed(1)

const scalesOf = ({ columns }: Chart, { width, height }: Size) => {
  const all = columns.flatMap(({ now, before }) => (now ? [now, before] : []))
  const highest = Math.max(1, ...all.map(({ value }) => value))
  const lowest = Math.min(0, ...all.map(({ below }) => -below))
  const x = scaleBand<number>()
    .domain(columns.map((_, index) => index))
    .range([edge.left, width - edge.right])
    .paddingInner(0.28)
    .paddingOuter(0.1)
  const y = scaleLinear()
    .domain([lowest, highest])
    .nice(ticks)
    .range([height - edge.bottom, edge.top])
  return { x, y }
}

type Scales = ReturnType<typeof scalesOf>

const gridHtml = ({ tick }: Chart, { y }: Scales, { width }: Size): Html[] =>
  y.ticks(ticks).map((value) => {
    const at = rounded(y(value))
    return html`<line
        class="${value === 0 ? 'zero' : 'rule'}"
        x1="${edge.left}"
        x2="${width - edge.right}"
        y1="${at}"
        y2="${at}"
      />
      <text class="tick" x="${edge.left - 8}" y="${at}" dy="0.32em" text-anchor="end">
        ${tick(value)}
      </text>`
  })

const barHtml = ({ x, y }: Scales, index: number, from: number, to: number, name: string): Html => {
  if (from === to) return null
  const [top, bottom] = [y(Math.max(from, to)), y(Math.min(from, to))]
  const height = Math.max(bottom - top, 1)
  return html`<rect
    class="${name}"
    x="${rounded(x(index) ?? 0)}"
    y="${rounded(top)}"
    width="${rounded(x.bandwidth())}"
    height="${rounded(height)}"
    rx="${Math.min(3, x.bandwidth() / 4).toFixed(1)}"
  />`
}

/** A mark across the column where the time before was. */
const beforeHtml = ({ x, y }: Scales, index: number, value: number): Html => {
  if (value === 0) return null
  const [left, at] = [(x(index) ?? 0) - x.step() * 0.08, rounded(y(value))]
  const right = left + x.bandwidth() + x.step() * 0.16
  return html`<path class="earlier" d="M${rounded(left)},${at}H${rounded(right)}" />`
}

const linesHtml = (lines: readonly string[]): Html =>
  html`<text class="told">
    ${lines.map(
      (line, index) =>
        html`<tspan x="${edge.left}" y="${(index + 1) * lineHeight - 2}">${line}</tspan>`,
    )}
  </text>`

const columnHtml = (chart: Chart, scales: Scales, size: Size, index: number): Html => {
  const { x } = scales
  const column = chart.columns[index]
  if (!column?.now) return null
  const { now, before, lines, href } = column
  const left = x(index) ?? 0
  return html`<a class="column" href="${href}" aria-label="${lines.join('. ')}">
    <rect
      class="reach"
      x="${rounded(left - x.step() * 0.14)}"
      y="${edge.top}"
      width="${rounded(x.step())}"
      height="${size.height - edge.top - edge.bottom}"
    />
    ${barHtml(scales, index, 0, now.value, 'up')} ${barHtml(scales, index, 0, -now.below, 'down')}
    ${beforeHtml(scales, index, before.value)} ${beforeHtml(scales, index, -before.below)}
    ${linesHtml(lines)}
  </a>`
}

const labelsHtml = (chart: Chart, { x }: Scales, { height }: Size): readonly Html[] => {
  const { columns, labelEvery, labelled } = chart
  const every = labelEvery.find((count) => count * x.step() >= labelRoom) ?? columns.length
  return columns.flatMap(({ label }, index) => {
    const place = labelled === 'first' ? index : columns.length - 1 - index
    if (place % every !== 0) return []
    const middle = rounded((x(index) ?? 0) + x.bandwidth() / 2)
    return [
      html`<text class="tick" x="${middle}" y="${height - 7}" text-anchor="middle">${label}</text>`,
    ]
  })
}

const svgHtml = (chart: Chart, size: Size): Html => {
  const scales = scalesOf(chart, size)
  const { width, height, name } = size
  return html`<svg
    class="chart ${name}"
    viewBox="0 0 ${width} ${height}"
    role="group"
    aria-label="${chart.title}"
  >
    ${gridHtml(chart, scales, size)} ${labelsHtml(chart, scales, size)}
    ${chart.columns.map((_, index) => columnHtml(chart, scales, size, index))}
  </svg>`
}

/** Columns over time, made on the server; colours are those of the style sheet. */
export const chartHtml = (chart: Chart): Html => html`${sizes.map((size) => svgHtml(chart, size))}`
