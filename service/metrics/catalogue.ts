import { collectDefaultMetrics, Registry, type Aggregator } from 'prom-client'
import type { Samples } from '../../application/measures.ts'

type Described = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: readonly string[]
  /** How processes are joined; by default counters are added up, and of gauges the most counts. */
  readonly joined?: 'sum' | 'min'
}

/** Every metric of our own. Where one begins anew with a process, Prometheus handles it. */
export const catalogue = {
  daybook_build_info: {
    ...{ type: 'gauge', help: 'What runs here: always 1.' },
    labels: ['version', 'node', 'mode'],
  },
  daybook_scraped_timestamp_seconds: {
    type: 'gauge',
    help: 'When these metrics were read before; absent if they were not.',
  },
  daybook_processes: { type: 'gauge', help: 'Processes that answer together; absent if alone.' },
  daybook_nodes: { type: 'gauge', help: 'Nodes that share the log; absent if it is a file.' },

  daybook_payment_requests_total: { type: 'counter', help: 'Payment requests made.' },
  daybook_payments_total: {
    ...{ type: 'counter', help: 'Payments by what came of their request.' },
    labels: ['outcome'],
  },
  daybook_captures_total: { type: 'counter', help: 'Captures.' },
  daybook_releases_total: { type: 'counter', help: 'Releases.' },
  daybook_refunds_total: { type: 'counter', help: 'Refunds.' },
  daybook_disputes_total: {
    ...{ type: 'counter', help: 'Disputes opened, won and lost.' },
    labels: ['outcome'],
  },
  daybook_merchant_payment_events_total: {
    type: 'counter',
    help: 'Events of payments, for the merchants in METRICS_MERCHANTS.',
    labels: ['merchant', 'event'],
  },

  daybook_http_request_seconds: {
    ...{ type: 'histogram', help: 'Time to answer a request, by route.' },
    labels: ['method', 'path', 'status'],
  },
  daybook_http_failures_total: { type: 'counter', help: 'Requests that were answered with 5xx.' },
  daybook_refusals_total: {
    type: 'counter',
    help: 'Refused requests, by the reason code, or by the status where there is none.',
    labels: ['code'],
  },
  daybook_pusher_connections: {
    ...{ type: 'gauge', help: 'Clients that are connected to listen to channels.' },
    joined: 'sum',
  },
  daybook_message_limits_reached: {
    type: 'gauge',
    help: 'Limits of text messages that were reached in the last hour, by what they are of.',
    labels: ['limit'],
  },

  daybook_store_up: {
    type: 'gauge',
    help:
      'Whether the log has just said where it ends, and it, the vault and the folder of blobs ' +
      'did not fail a moment ago: 1, else 0.',
    joined: 'min',
  },
  daybook_store_seconds: {
    type: 'histogram',
    help: 'Time of an operation of the log, with what it waits for.',
    labels: ['operation'],
  },
  daybook_commit_seconds: {
    type: 'histogram',
    help: 'Time to write a group of appends to the file of the log, durably.',
  },
  daybook_commit_events: { type: 'histogram', help: 'Events that are written in one commit.' },
  daybook_read_models_behind_events: {
    type: 'gauge',
    help: 'Events that the read models lack; absent while the store is away.',
  },
  daybook_read_models_behind_seconds: {
    type: 'gauge',
    help: 'How long the read models lack an event that this process has seen; 0 if they lack none.',
  },
  daybook_cache_lookups_total: {
    ...{ type: 'counter', help: 'Lookups in caches, by whether they found something.' },
    labels: ['cache', 'result'],
  },
  daybook_disk_free_bytes: {
    type: 'gauge',
    help: 'What is left for this process on the disk of its data directory.',
    joined: 'min',
  },
  daybook_disk_size_bytes: { type: 'gauge', help: 'Size of that disk.', joined: 'min' },
  daybook_clock_behind_seconds: {
    type: 'gauge',
    help: 'How far the clock is behind the newest event in the log; 0 if it is not.',
  },

  daybook_work_seconds: {
    ...{ type: 'histogram', help: 'Time of one run of the work beside requests.' },
    labels: ['work'],
  },
  daybook_work_held: {
    type: 'gauge',
    help: 'Whether this process may do shared work of a kind: 1, else 0.',
    labels: ['kind'],
  },
  daybook_thread_failures_total: {
    type: 'counter',
    help: 'Threads that ended with an error; each is started again.',
    labels: ['thread'],
  },

  daybook_callback_attempts_total: {
    ...{ type: 'counter', help: 'Attempts to deliver a callback, by what came of them.' },
    labels: ['result'],
  },
  daybook_callback_attempt_seconds: {
    ...{ type: 'histogram', help: 'Time of an attempt to deliver a callback.' },
    labels: ['result'],
  },
  daybook_merchant_callback_attempts_total: {
    ...{ type: 'counter', help: 'The same, for the merchants in METRICS_MERCHANTS.' },
    labels: ['merchant', 'result'],
  },
  daybook_callbacks_unfinished: {
    type: 'gauge',
    help: 'Resources with callback messages that have not arrived.',
  },
  daybook_callback_oldest_seconds: {
    type: 'gauge',
    help:
      'How long the oldest message has waited. due: since it should have been sent; held (its ' +
      'address rests), later (to be tried again) and abandoned: since its event. Read at most ' +
      'every 30 seconds.',
    labels: ['state'],
  },
  daybook_callback_addresses_resting: {
    type: 'gauge',
    help: 'Addresses that get no callbacks, because they failed for five days.',
  },

  daybook_reports_unfinished: { type: 'gauge', help: 'Closed reports without their logs.' },
  daybook_reports_unfinished_seconds: {
    type: 'gauge',
    help: 'How long the oldest of them has been closed; 0 if there is none.',
  },
  daybook_settlements_unfinished: { type: 'gauge', help: 'Settlements that are being made.' },
  daybook_settlements_unfinished_seconds: {
    type: 'gauge',
    help: 'How long the oldest of them has been in the making; 0 if there is none.',
  },
  daybook_bank_debits_unexplained: {
    type: 'gauge',
    help: 'Entries of the bank: money that left the account and is not one payout once.',
  },
  daybook_funding_differences: {
    type: 'gauge',
    help: 'Money of payers that is missing when it is due, or came in and pays nothing.',
  },
  daybook_journal_imbalance_minor_units: {
    type: 'gauge',
    help: 'What the debits and credits of the journal differ by; anything but zero is a bug.',
    labels: ['currency'],
  },
  daybook_journal_balance_minor_units: {
    type: 'gauge',
    help: 'Balance of the accounts of the journal, debits less credits, all merchants together.',
    labels: ['account', 'currency'],
  },

  daybook_audit_holds: {
    type: 'gauge',
    help: 'Whether nothing was wrong in the last audit of the log: 1, else 0; absent before it.',
    joined: 'min',
  },
  daybook_audit_held_timestamp_seconds: {
    type: 'gauge',
    help: 'When nothing was wrong in an audit of the log last.',
  },
  daybook_audit_behind_events: {
    type: 'gauge',
    help: 'Events that no audit without problems has seen; of a log never audited, all.',
  },
  daybook_signing_keys_hold: {
    type: 'gauge',
    help: 'Whether the keys on disk were those of the log in the last daily check: 1, else 0.',
    joined: 'min',
  },
  daybook_certificate_end_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate of PUBLIC_URL ends, or the first one in CALLBACK_CA_FILE.',
    labels: ['certificate'],
  },
} as const satisfies Readonly<Record<string, Described>>

export type MetricName = keyof typeof catalogue

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
