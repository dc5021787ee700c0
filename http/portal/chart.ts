import { scaleBand, scaleLinear } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import { html, raw } from 'hono/html'
import type { Html } from '../payer/page.ts'

/** One column of a chart, and where it leads. */
export type Column = {
  readonly label: string
  /** Whether its label stands at the axis. */
  readonly isLabelled: boolean
  readonly value: number
  /** Drawn below the axis. */
  readonly below: number
  /** All of it in words, shown while the column is pointed at or has the focus. */
  readonly told: string
  readonly href: string
}

export type Chart = {
  readonly title: string
  readonly columns: readonly Column[]
  readonly tick: (value: number) => string
  readonly kind: 'bars' | 'line'
}

type Size = {
  readonly width: number
  readonly height: number
  readonly name: 'broad' | 'middle' | 'slim'
}

/** Text keeps its size: the style sheet shows the chart that fits. */
const sizes: readonly Size[] = [
  { width: 860, height: 270, name: 'broad' },
  { width: 540, height: 240, name: 'middle' },
  { width: 320, height: 210, name: 'slim' },
]
const edge = { top: 28, right: 6, bottom: 24, left: 46 }
const ticks = 4

const rounded = (value: number): string => value.toFixed(1)

const scalesOf = ({ columns }: Chart, { width, height }: Size) => {
  const highest = Math.max(1, ...columns.map(({ value }) => value))
  const lowest = Math.min(0, ...columns.map(({ below }) => -below))
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

const barHtml = (
  { x, y }: Scales,
  index: number,
  from: number,
  to: number,
  name: string,
): Html | '' => {
  if (from === to) return ''
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

const columnHtml = (chart: Chart, scales: Scales, size: Size, index: number): Html | '' => {
  const { x, y } = scales
  const column = chart.columns[index]
  if (!column) return ''
  const { value, below, told, href, label, isLabelled } = column
  const left = x(index) ?? 0
  const middle = rounded(left + x.bandwidth() / 2)
  const marks =
    chart.kind === 'bars'
      ? html`${barHtml(scales, index, 0, value, 'up')} ${barHtml(scales, index, 0, -below, 'down')}`
      : html`<circle class="dot" cx="${middle}" cy="${rounded(y(value))}" r="3" />`
  return html`<a class="column" href="${href}" aria-label="${told}">
      <rect
        class="reach"
        x="${rounded(left - x.step() * 0.14)}"
        y="${edge.top}"
        width="${rounded(x.step())}"
        height="${size.height - edge.top - edge.bottom}"
      />
      ${marks}
      <text class="told" x="${edge.left}" y="14">${told}</text>
    </a>
    ${
      isLabelled
        ? html`<text class="tick" x="${middle}" y="${size.height - 7}" text-anchor="middle">
            ${label}
          </text>`
        : ''
    }`
}

/** The line through all columns, and the area under it. */
const lineHtml = ({ kind, columns }: Chart, { x, y }: Scales): Html | '' => {
  if (kind === 'bars') return ''
  const middle = (_: Column, index: number) => (x(index) ?? 0) + x.bandwidth() / 2
  const stroke = line<Column>(middle, ({ value }) => y(value)).curve(curveMonotoneX)([...columns])
  const fill = area<Column>()
    .x(middle)
    .y0(y(0))
    .y1(({ value }) => y(value))
    .curve(curveMonotoneX)([...columns])
  return html`<path class="fill" d="${raw(fill ?? '')}" />
    <path class="stroke" d="${raw(stroke ?? '')}" />`
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
    ${gridHtml(chart, scales, size)} ${lineHtml(chart, scales)}
    ${chart.columns.map((_, index) => columnHtml(chart, scales, size, index))}
  </svg>`
}

/** Columns over time, made on the server; colours are those of the style sheet. */
export const chartHtml = (chart: Chart): Html => html`${sizes.map((size) => svgHtml(chart, size))}`
