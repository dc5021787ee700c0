import { collectDefaultMetrics, Registry, type Aggregator } from 'prom-client'
import type { Samples } from '../../application/measures.ts'
import described from './catalogue.json' with { type: 'json' }

type Described = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: readonly string[]
  /** How processes are joined; by default counters are added up, and of gauges the most counts. */
  readonly joined?: 'sum' | 'min'
}

/** Every metric of our own. Where one begins anew with a process, Prometheus handles it. */
export const catalogue = described as Readonly<Record<MetricName, Described>>

export type MetricName = keyof typeof described

/** As prom-client has it in JSON. */
export type Metric = {
  readonly name: string
  readonly help?: string
  readonly type: unknown
  readonly values: readonly object[]
}

export const metricOf = (name: MetricName, samples: Samples): Metric => {
  const { help, type } = catalogue[name]
  const values = samples.map(({ part, ...sample }) =>
    part === undefined ? sample : { ...sample, metricName: `${name}_${part}` },
  )
  return { name, help, type, values }
}

/** Names from the library; only counters should end in `_total`. */
const gaugesNamedAsCounters = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
]

/** Metrics of the process by the library; delays of the event loop are those since a scrape. */
export const processMetrics = () => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of gaugesNamedAsCounters) registry.removeSingleMetric(name)
  return registry
}

/** Gauges of the library to add up across processes. */
const summed = /^(?:process_(?:resident|virtual|heap|open)_|nodejs_(?:heap|external|active)_)/

/** How the values of several processes become one. */
export const aggregatorOf = ({ name, type }: Metric): Aggregator => {
  if (type !== 'gauge') return 'sum'
  const known: Readonly<Record<string, Described>> = catalogue
  return known[name]?.joined ?? (summed.test(name) ? 'sum' : 'max')
}
