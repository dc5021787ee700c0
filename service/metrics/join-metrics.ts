import { AggregatorRegistry, Registry, type PrometheusContentType } from 'prom-client'
import type { Sample } from '../../application/measures.ts'
import { aggregatorOf, type Metric } from './catalogue.ts'

/** Joins the metrics of processes: counters and histograms are added up. */
export const joinMetrics = (processes: readonly (readonly Metric[])[]) =>
  AggregatorRegistry.aggregate<PrometheusContentType>(
    processes.map((metrics) => metrics.map((one) => ({ ...one, aggregator: aggregatorOf(one) }))),
  )

/** A value of a metric, as prom-client has it. */
type Value = Pick<Sample, 'labels' | 'exemplar'> & { readonly metricName?: string }

type Joined = {
  readonly get: () => { readonly type: unknown; name: string; values: readonly Value[] }
}

const keyOf = ({ metricName, labels }: Value): string => JSON.stringify([metricName, labels])

/** The same in OpenMetrics, where buckets have exemplars; the library joins none. */
const joinOpenMetrics = (processes: readonly (readonly Metric[])[]) => {
  const joined = joinMetrics(processes)
  joined.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never)
  const exemplars = new Map<string, Value['exemplar']>()
  for (const value of processes.flat().flatMap(({ values }) => values as readonly Value[]))
    if (value.exemplar) exemplars.set(keyOf(value), value.exemplar)
  for (const metric of joined.getMetricsAsArray() as unknown as readonly Joined[]) {
    const merged = metric.get()
    // The library adds it again.
    if (merged.type === 'counter') merged.name = merged.name.replace(/_total$/, '')
    merged.values = merged.values.map((value) => ({
      ...value,
      exemplar: exemplars.get(keyOf(value)),
    }))
  }
  return joined
}

/** In OpenMetrics for whoever takes it, as Prometheus does. */
export const formatFor = (accept: string | undefined) =>
  accept?.includes('application/openmetrics-text') ? joinOpenMetrics : joinMetrics

/** Of an ended process only these count, so that they never decrease. */
export const countersIn = (metrics: readonly Metric[]): readonly Metric[] =>
  metrics.filter(({ type }) => type !== 'gauge')
