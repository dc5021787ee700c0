import { wallClock } from './machine.ts'

/** One of the observed values, and its trace; as prom-client has it. */
type Exemplar = {
  readonly labelSet: { readonly trace_id: string }
  readonly value: number
  /** In seconds. */
  readonly timestamp: number
}

/** One value of a metric. Its name and help stand in the catalogue of the service. */
export type Sample = {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  /** Set in a histogram. */
  readonly part?: 'bucket' | 'sum' | 'count'
  /** The newest one of a bucket. */
  readonly exemplar?: Exemplar | undefined
}

export type Samples = readonly Sample[]

/** Upper bounds of buckets, in seconds: of what is quick, and of what may take minutes. */
export const quickSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

export const slowSeconds = [0.001, 0.01, 0.1, 1, 10, 60, 600]

/** Upper bounds of numbers. */
export const amounts = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]

/**
 * A Prometheus histogram; one of a library costs as much as routing. The memory may be shared with
 * a thread that alone observes.
 */
export const histogram = (bounds: readonly number[], memory?: SharedArrayBuffer) => {
  const size = bounds.length + 2
  /** One count for each bound, one above all, then the sum. */
  const counts = memory ? new Float64Array(memory) : new Float64Array(size)
  const exemplars: Exemplar[] = []
  const add = (at: number, more: number): void => void (counts[at] = (counts[at] ?? 0) + more)
  return {
    observe: (value: number, trace_id?: string): void => {
      const found = bounds.findIndex((bound) => value <= bound)
      const bucket = found < 0 ? bounds.length : found
      add(bucket, 1)
      add(size - 1, value)
      if (trace_id !== undefined)
        exemplars[bucket] = { labelSet: { trace_id }, value, timestamp: wallClock() / 1_000 }
    },
    samples: (labels: Sample['labels'] = {}): Samples => {
      let value = 0
      const buckets = [...bounds, '+Inf'].map((le, bucket): Sample => {
        value += counts[bucket] ?? 0
        const labelled = { labels: { le, ...labels }, value, part: 'bucket' } as const
        const exemplar = exemplars[bucket]
        return exemplar ? { ...labelled, exemplar } : labelled
      })
      const sum: Sample = { labels, value: counts[size - 1] ?? 0, part: 'sum' }
      return [...buckets, sum, { labels, value, part: 'count' }]
    },
  }
}

export type Histogram = ReturnType<typeof histogram>

export const memoryOf = (bounds: readonly number[]): SharedArrayBuffer =>
  new SharedArrayBuffer((bounds.length + 2) * Float64Array.BYTES_PER_ELEMENT)

/** A histogram for each value of a label. */
export const histogramsBy = (label: string, bounds: readonly number[]) => {
  const known = new Map<string, Histogram>()
  return {
    observe: (key: string, value: number): void => {
      const found = known.get(key) ?? histogram(bounds)
      known.set(key, found)
      found.observe(value)
    },
    samples: (): Samples => [...known].flatMap(([key, one]) => one.samples({ [label]: key })),
  }
}

/** A counter for each combination of labels, whose number the caller bounds. */
export const counterBy = (...labels: readonly string[]) => {
  const counts = new Map<string, { readonly labels: Sample['labels']; value: number }>()
  return {
    count: (values: readonly string[], more = 1): void => {
      const key = values.join('\n')
      const found = counts.get(key)
      if (found) found.value += more
      else {
        const own = labels.map((label, index) => [label, values[index] ?? ''])
        counts.set(key, { labels: Object.fromEntries(own), value: more })
      }
    },
    samples: (): Samples => [...counts.values()],
  }
}

/** A value that is left out while it is not known. */
export const single = (value: number | undefined, labels: Sample['labels'] = {}): Samples =>
  value === undefined ? [] : [{ labels, value }]
