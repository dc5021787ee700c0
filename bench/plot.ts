import { scaleLinear } from 'd3-scale'
import { median } from './scope.ts'
import { quantile } from './load.ts'

/** Memory of the service, at so many ms from the start, in bytes. */
export type Sample = {
  readonly at: number
  readonly rss: number
  readonly heaps: number
}

type Line = { readonly name: string; readonly colour: string; readonly values: readonly number[] }

const [width, height, left, panelWidth, panelHeight] = [760, 470, 64, 670, 150]

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x}" y="${y}" ${more}>${content}</text>`

const panel = (title: string, top: number, least: number, lines: readonly Line[]): string[] => {
  const most = Math.max(least, ...lines.flatMap(({ values }) => values.filter(Number.isFinite)))
  const y = scaleLinear([0, most], [top + panelHeight, top]).nice(5)
  return [
    text(left, top - 10, title, 'font-weight="600"'),
    ...y
      .ticks(5)
      .map(
        (mark) =>
          `<path d="M${left} ${y(mark)}h${panelWidth}" stroke="#ddd"/>` +
          text(left - 8, y(mark) + 4, `${mark}`, 'text-anchor="end"'),
      ),
    ...lines.map(({ name, colour, values }, index) => {
      const x = scaleLinear([0, values.length - 1], [left, left + panelWidth])
      const path = values.map((value, at) => {
        const move = Number.isFinite(values[at - 1]) ? 'L' : 'M'
        return Number.isFinite(value) ? `${move}${x(at)},${y(value)}` : ''
      })
      return (
        `<path d="${path.join('')}" fill="none" stroke="${colour}"/>` +
        text(x.range()[1]! - index * 60, top - 10, name, `style="fill:${colour}" text-anchor="end"`)
      )
    }),
  ]
}

/** Latency of messages and memory of the service over time, as SVG. */
export const plotOf = (
  caption: string,
  seconds: number,
  received: readonly { readonly at: number; readonly latency: number }[],
  samples: readonly Sample[],
): string => {
  const windows = Array.from({ length: 120 }, (_, index) => (index * seconds * 1_000) / 120)
  const within = <One extends { readonly at: number }>(all: readonly One[], from: number) =>
    all.filter(({ at }) => at >= from && at < from + (seconds * 1_000) / 120)
  const latencies = windows.map((from) =>
    within(received, from)
      .map(({ latency }) => latency)
      .sort((a, b) => a - b),
  )
  const of = (share: number) => latencies.map((sorted) => quantile(sorted, share))
  const mebibytes = (bytes: (sample: Sample) => number) =>
    windows.map((from) => median(within(samples, from).map(bytes)) / 2 ** 20)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#333}</style>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(left, 28, `${caption}, ${seconds} s`),
    ...panel('From due to received, ms', 70, 1_000, [
      { name: 'p99', colour: '#1f5fbf', values: of(0.99) },
      { name: 'p50', colour: '#2a8a4a', values: of(0.5) },
    ]),
    ...panel('Memory of the service, MiB', 280, 100, [
      { name: 'RSS', colour: '#8a4a1f', values: mebibytes(({ rss }) => rss) },
      { name: 'heaps', colour: '#2a8a4a', values: mebibytes(({ heaps }) => heaps) },
    ]),
    '</svg>\n',
  ].join('\n')
}
