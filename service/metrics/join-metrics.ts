import { AggregatorRegistry, type Aggregator, type PrometheusContentType } from 'prom-client'

/** As prom-client has it in JSON. */
export type Metric = {
  readonly name: string
  readonly type: unknown
  readonly values: readonly object[]
}

/** Gauges to add up across processes. */
const summed = new RegExp(
  '^(?:daybook_pusher_connections|process_(?:resident|virtual)_memory_bytes|process_heap_bytes|' +
    'process_open_fds|nodejs_(?:heap|external_memory|active)_)',
)

/** Gauges that are low if something is wrong in one process. */
const least: ReadonlySet<string> = new Set(['daybook_store_up', 'daybook_audit_holds'])

const aggregatorOf = ({ name, type }: Metric): Aggregator => {
  if (type !== 'gauge' || summed.test(name)) return 'sum'
  return least.has(name) ? 'min' : 'max'
}

/** Joins the metrics of processes: counters and histograms are added up. */
export const joinMetrics = (processes: readonly (readonly Metric[])[]) =>
  AggregatorRegistry.aggregate<PrometheusContentType>(
    processes.map((metrics) => metrics.map((one) => ({ ...one, aggregator: aggregatorOf(one) }))),
  )

/** Of an ended process only these count, so that they never decrease. */
export const countersIn = (metrics: readonly Metric[]): readonly Metric[] =>
  metrics.filter(({ type }) => type !== 'gauge')
