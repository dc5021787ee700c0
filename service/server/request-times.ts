const name = 'daybook_http_request_seconds'

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

type Series = {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly counts: number[]
  sum: number
}

const valuesOf = ({ method, path, status, counts, sum }: Series) => {
  const labels = { method, path, status }
  let value = 0
  const buckets = counts.map((count, bucket) => {
    value += count
    const le = bounds[bucket] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value }
  })
  const sums = { metricName: `${name}_sum`, labels, value: sum }
  return [...buckets, sums, { metricName: `${name}_count`, labels, value }]
}

/** A Prometheus histogram of request times. A library's histogram costs as much as routing. */
export const requestTimes = () => {
  const byPath = new Map<string, Series[]>()

  const seriesOf = (method: string, path: string, status: number): Series => {
    const ofPath = byPath.get(path) ?? []
    const known = ofPath.find((one) => one.status === status && one.method === method)
    if (known) return known
    const made = { method, path, status, counts: [...bounds, Infinity].map(() => 0), sum: 0 }
    byPath.set(path, [...ofPath, made])
    return made
  }

  return {
    observe: (method: string, path: string, status: number, milliseconds: number): void => {
      const seconds = milliseconds / 1000
      const one = seriesOf(method, path, status)
      const bucket = bounds.findIndex((bound) => seconds <= bound)
      const at = bucket < 0 ? bounds.length : bucket
      one.counts[at] = (one.counts[at] ?? 0) + 1
      one.sum += seconds
    },
    metric: () => ({
      ...{ name, help: 'Time to answer a request, by route.', type: 'histogram' },
      values: [...byPath.values()].flat().flatMap(valuesOf),
    }),
  }
}
