import { AggregatorRegistry, type PrometheusContentType } from 'prom-client'
import { aggregatorOf, type Metric } from './catalogue.ts'

/** Joins the metrics of processes: counters and histograms are added up. */
export const joinMetrics = (processes: readonly (readonly Metric[])[]) =>
  AggregatorRegistry.aggregate<PrometheusContentType>(
    processes.map((metrics) => metrics.map((one) => ({ ...one, aggregator: aggregatorOf(one) }))),
  )

/** Of an ended process only these count, so that they never decrease. */
export const countersIn = (metrics: readonly Metric[]): readonly Metric[] =>
  metrics.filter(({ type }) => type !== 'gauge')
