import { scaleLinear } from 'd3-scale'
import type { CollectedSpan } from './collector.ts'

const [width, rowHeight, left, right] = [900, 22, 330, 70]

const colours: Readonly<Record<string, string>> = {
  SPAN_KIND_SERVER: '#4e79a7',
  SPAN_KIND_CLIENT: '#59a14f',
  SPAN_KIND_PRODUCER: '#b07aa1',
  SPAN_KIND_CONSUMER: '#9c755f',
}

type Row = { readonly span: CollectedSpan; readonly depth: number }

/** Each span below its parent, in the order of their beginnings. */
const treeOf = (spans: readonly CollectedSpan[]): Row[] => {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const inOrder = spans.toSorted((one, other) => one.startedAt - other.startedAt)
  const below = (parent: string | undefined, depth: number): Row[] =>
    inOrder
      .filter(({ parentSpanId: id }) => (ids.has(id) ? id : undefined) === parent)
      .flatMap((span) => [{ span, depth }, ...below(span.spanId, depth + 1)])
  return below(undefined, 0)
}

/** A trace as an SVG: a bar for each span, with its duration in ms. */
export const pictureOf = (spans: readonly CollectedSpan[]): string => {
  const rows = treeOf(spans)
  const start = Math.min(...spans.map(({ startedAt }) => startedAt))
  const end = Math.max(...spans.map(({ endedAt }) => endedAt))
  const x = scaleLinear([start, end], [left, width - right])
  const bars = rows.map(({ span: { name, kind, startedAt, endedAt }, depth }, at) => {
    const y = (at + 1) * rowHeight
    const [from, to] = [x(startedAt), Math.max(x(endedAt), x(startedAt) + 1)]
    const label = `<text x="${8 + depth * 14}" y="${y + 15}">${name}</text>`
    const box = `x="${from.toFixed(1)}" y="${y + 4}" width="${(to - from).toFixed(1)}" height="14"`
    const bar = `<rect ${box} fill="${colours[kind] ?? '#bab0ac'}"/>`
    const took = `${(endedAt - startedAt).toFixed(2)} ms`
    return `${label}${bar}<text x="${(to + 5).toFixed(1)}" y="${y + 15}">${took}</text>`
  })
  const height = (rows.length + 2) * rowHeight
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`,
    ' font-family="sans-serif" font-size="12">',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="15" font-weight="600">A payment, ${(end - start).toFixed(0)} ms</text>`,
    ...bars,
    '</svg>\n',
  ].join('')
}
