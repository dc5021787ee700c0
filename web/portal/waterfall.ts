import type { Html } from '../ui/components.tsx'
import { scaleLinear } from 'd3-scale'
import { html } from 'hono/html'

/** One bar: from where the one before ended, or from zero for a total. */
export type Step = {
  readonly name: string
  /** What is added or taken away, or the total. */
  readonly value: number
  readonly kind: 'total' | 'change'
  /** The number as people read it. */
  readonly shown: string
}

type Size = {
  readonly name: 'broad' | 'slim'
  readonly width: number
  readonly row: number
  /** Where bars begin and end, and the line of names above or beside them. */
  readonly from: number
  readonly to: number
  readonly isNameAbove: boolean
}

const sizes: readonly Size[] = [
  { name: 'broad', width: 640, row: 40, from: 190, to: 510, isNameAbove: false },
  { name: 'slim', width: 350, row: 54, from: 0, to: 350, isNameAbove: true },
]
const barHeight = 20

/** Where each bar begins and ends. */
const spansOf = (steps: readonly Step[]): readonly (readonly [number, number])[] => {
  let at = 0
  return steps.map(({ value, kind }) => {
    const from = kind === 'total' ? 0 : at
    at = kind === 'total' ? value : at + value
    return [from, at]
  })
}

const barClass = ({ kind, value }: Step): string => {
  if (kind === 'total') return 'total'
  return value < 0 ? 'minus' : 'plus'
}

const svgHtml = (title: string, steps: readonly Step[], size: Size): Html => {
  const { name, width, row, from, to, isNameAbove } = size
  const spans = spansOf(steps)
  const ends = spans.flat()
  const x = scaleLinear()
    .domain([Math.min(0, ...ends), Math.max(1, ...ends)])
    .range([from, to])
  const height = steps.length * row + 8
  const barTop = (index: number) => index * row + (isNameAbove ? 24 : (row - barHeight) / 2)
  const edge = (index: number) => x(spans[index]?.[1] ?? 0).toFixed(1)
  return html`<svg
    class="chart waterfall ${name}"
    viewBox="0 0 ${width} ${height}"
    role="img"
    aria-label="${title}"
  >
    ${steps.map((step, index) => {
      const [low, high] = [...(spans[index] ?? [0, 0])].sort((one, other) => one - other)
      const left = x(low ?? 0)
      const length = Math.max(x(high ?? 0) - left, 1.5)
      const top = barTop(index)
      const textAt = isNameAbove ? top - 8 : top + barHeight / 2
      const drop = isNameAbove ? '0' : '0.34em'
      return html`<g>
        <text class="name" x="0" y="${textAt}" dy="${drop}">${step.name}</text>
        <rect
          class="${barClass(step)}"
          x="${left.toFixed(1)}"
          y="${top}"
          width="${length.toFixed(1)}"
          height="${barHeight}"
          rx="3"
        />
        ${
          index < steps.length - 1 && !isNameAbove
            ? html`<line
                class="join"
                x1="${edge(index)}"
                x2="${edge(index)}"
                y1="${top + barHeight}"
                y2="${barTop(index + 1)}"
              />`
            : ''
        }
        <text class="sum ${step.kind}" x="${width}" y="${textAt}" dy="${drop}" text-anchor="end">
          ${step.shown}
        </text>
      </g>`
    })}
  </svg>`
}

/** How one sum becomes another, bar by bar; a phone has a picture of its own. */
export const waterfallHtml = (title: string, steps: readonly Step[]): Html =>
  html`<div class="fall">${sizes.map((size) => svgHtml(title, steps, size))}</div>`
