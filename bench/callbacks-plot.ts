/** Plots latency of messages and memory of the service over time, as SVG. */

export type Window = {
  /** End of the window, in seconds from the start. */
  readonly until: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Resident memory of the service in bytes. */
  readonly memory: number
  /** Heap use of its threads, in bytes. */
  readonly heaps: number
}

type Line = { readonly name: string; readonly colour: string; readonly values: readonly number[] }

type Panel = {
  readonly title: string
  readonly top: number
  readonly unit: string
  /** Minimum for the end of the scale. */
  readonly least: number
  readonly target?: number
  readonly lines: readonly Line[]
}

const [width, height, left, panelWidth, panelHeight] = [760, 470, 64, 670, 150]

const steps = [1, 2, 5].flatMap((step) => [0, 1, 2, 3, 4, 5].map((power) => step * 10 ** power))

/** A round step that divides the scale into at most five parts. */
const stepOf = (whole: number): number =>
  steps.toSorted((a, b) => a - b).find((step) => whole / step <= 5) ?? whole

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x}" y="${y}" ${more}>${content}</text>`

const scaleOf = (values: readonly number[], least: number) => {
  const most = Math.max(least, ...values.filter(Number.isFinite))
  const step = stepOf(most)
  const whole = Math.ceil(most / step) * step
  const marks = Array.from({ length: Math.round(whole / step) + 1 }, (_, index) => index * step)
  return { whole, marks }
}

const panel = (seconds: readonly number[], { top, title, unit, least, target, lines }: Panel) => {
  const { whole, marks } = scaleOf(
    lines.flatMap(({ values }) => values),
    least,
  )
  const end = seconds.at(-1) ?? 1
  const x = (second: number): number => left + (second / end) * panelWidth
  const y = (value: number): number => top + panelHeight - (value / whole) * panelHeight
  const horizontal = (value: number, more: string): string =>
    `<path d="M${left} ${y(value).toFixed(1)}h${panelWidth}" ${more}/>`
  const grid = marks.map(
    (mark) =>
      horizontal(mark, 'class="grid"') +
      text(left - 8, y(mark) + 4, `${mark}`, 'text-anchor="end"'),
  )
  const drawn = lines.map(({ name, colour, values }, index) => {
    const points = values.map(
      (value, at) => `${x(seconds[at] ?? 0).toFixed(1)},${y(value).toFixed(1)}`,
    )
    const legend = `style="fill:${colour}" text-anchor="end"`
    return (
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>` +
      text(left + panelWidth - index * 60, top - 10, name, legend)
    )
  })
  const limit = target === undefined ? '' : horizontal(target, 'class="target"')
  return [text(left, top - 10, `${title}, ${unit}`, 'class="title"'), ...grid, limit, ...drawn]
}

export const plotOf = (caption: string, windows: readonly Window[]): string => {
  const seconds = windows.map(({ until }) => until)
  const tops = [70, 280] as const
  const end = seconds.at(-1) ?? 1
  const times = scaleOf([end], 1)
    .marks.filter((mark) => mark <= end)
    .map((mark) =>
      text(
        left + (mark / end) * panelWidth,
        tops[1] + panelHeight + 20,
        `${mark} s`,
        'text-anchor="middle"',
      ),
    )
  const mebibytes = (bytes: (window: Window) => number): number[] =>
    windows.map((window) => bytes(window) / 2 ** 20)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#333}.title{font-weight:600}',
    '.grid{stroke:#ddd}.target{stroke:#c33;stroke-dasharray:4 3}</style>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(left, 28, caption),
    ...panel(seconds, {
      ...{ title: 'From due to received', top: tops[0], unit: 'ms (red: the target)' },
      ...{ least: 1_000, target: 1_000 },
      lines: [
        { name: 'p99', colour: '#1f5fbf', values: windows.map(({ p99 }) => p99) },
        { name: 'p50', colour: '#2a8a4a', values: windows.map(({ p50 }) => p50) },
      ],
    }),
    ...panel(seconds, {
      ...{ title: 'Memory of the service', top: tops[1], unit: 'MiB', least: 100 },
      lines: [
        { name: 'RSS', colour: '#8a4a1f', values: mebibytes(({ memory }) => memory) },
        { name: 'heaps', colour: '#2a8a4a', values: mebibytes(({ heaps }) => heaps) },
      ],
    }),
    ...times,
    '</svg>\n',
  ].join('\n')
}
