import { lookup } from 'node:dns'
import { X509Certificate } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { isOneThread, aside, wallClock } from '../../application/machine.ts'
import { single, type Samples } from '../../application/measures.ts'
import { certificate, certificateAt } from '../../infrastructure/callbacks/certificate-problem.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { cacheLookups } from '../../application/generational-cache.ts'
import type { LastAudit } from '../../audit/verify/last-audit.ts'
import { leasedKinds, type LeasedKind } from '../../infrastructure/leases/leases.ts'
import type { MessageAlarm } from '../../infrastructure/people/message-limits.ts'
import { version } from '../../infrastructure/version.ts'
import { threadFailures } from '../../infrastructure/worker.ts'
import { fundingOf } from '../bank/funding.ts'
import type { Core } from '../core.ts'
import { metricOf, processMetrics, type Metric, type MetricName } from './catalogue.ts'
import type { Counted } from './counters.ts'

const hourMs = 3_600_000

type Place = Pick<Settings, 'PUBLIC_URL' | 'CALLBACK_CA_FILE'>

/**
 * When certificates end: that of PUBLIC_URL is asked for at most once an hour, and no scrape waits
 * for it.
 */
export const certificateEnds = (
  { PUBLIC_URL, CALLBACK_CA_FILE }: Place,
  machineNow: () => number,
) => {
  let readAt = -Infinity
  let own: number | undefined
  const trusted = (CALLBACK_CA_FILE?.match(certificate) ?? []).map((pem) =>
    Date.parse(new X509Certificate(pem).validTo),
  )
  const first = trusted.length === 0 ? undefined : Math.min(...trusted)

  const ask = (url: string): void => {
    const now = machineNow()
    if (Math.abs(now - readAt) < hourMs) return
    readAt = now
    certificateAt(new URL(url), lookup)
      .then((found) => (own = found && Date.parse(found.valid_to)))
      .catch(() => (own = undefined))
  }

  return (): Samples => {
    if (PUBLIC_URL?.startsWith('https:') && !isOneThread()) ask(PUBLIC_URL)
    const ends = { PUBLIC_URL: own, CALLBACK_CA_FILE: first }
    return Object.entries(ends).flatMap(([name, end]) =>
      single(end === undefined ? undefined : end / 1_000, { certificate: name }),
    )
  }
}

export type Measured = {
  readonly listenerCount: () => number
  readonly lastAudit: () => LastAudit | undefined
  readonly messageAlarms: () => readonly MessageAlarm[]
  /** When the operator's monitoring read all metrics before; undefined if it has not. */
  readonly scrapedAt: () => number | undefined
  readonly keysHold: () => boolean
  readonly mayDo: (kind: LeasedKind) => boolean
}

type Observed = Pick<
  Core,
  | 'settings'
  | 'readModels'
  | 'failures'
  | 'paymentCounts'
  | 'measures'
  | 'callbacks'
  | 'accounting'
  | 'handle'
  | 'sharedWork'
  | 'clockBehindMs'
  | 'now'
  | 'tree'
>

type Read = () => Samples | Promise<Samples>

const seconds = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : milliseconds / 1_000

/** Age of what began then; 0 if there is nothing. */
const ageOf = (began: number | undefined, now: number): Samples =>
  single(began === undefined ? 0 : Math.max(0, now - began) / 1_000)

const moneySources = (core: Observed) => {
  const { accounting, now } = core
  return {
    daybook_reports_unfinished: () => single(accounting.reports.closingCount()),
    daybook_reports_unfinished_seconds: () => ageOf(accounting.reports.closingSince(), now()),
    daybook_settlements_unfinished: () => single(accounting.settlements.unfinishedCount()),
    daybook_settlements_unfinished_seconds: () =>
      ageOf(accounting.settlements.nextUnfinished(1)[0]?.startedAt, now()),
    daybook_bank_debits_unexplained: () => single(accounting.bankEntries.openDebits()),
    daybook_funding_differences: async () =>
      single((await fundingOf(core)).book.differences().length),
    daybook_journal_imbalance_minor_units: () =>
      accounting.journal
        .trialBalance()
        .flatMap(({ currency, imbalance }) => single(Number(imbalance), { currency })),
    daybook_journal_balance_minor_units: () =>
      accounting.journal
        .trialBalance()
        .flatMap(({ currency, balances }) =>
          Object.entries(balances).flatMap(([account, sum]) =>
            single(Number(sum), { account, currency }),
          ),
        ),
  } satisfies Partial<Record<MetricName, Read>>
}

/** The scan for the oldest messages costs some milliseconds for each ten thousand that wait. */
const oldestEveryMs = 30_000

const callbackSources = ({ callbacks: { queue, destinations }, now }: Observed) => {
  let read: { readonly at: number; readonly oldest: ReturnType<typeof queue.oldest> } | undefined
  return {
    daybook_callbacks_unfinished: () => single(queue.unfinishedCount()),
    daybook_callback_oldest_seconds: () => {
      const at = now()
      if (!read || Math.abs(at - read.at) >= oldestEveryMs) read = { at, oldest: queue.oldest(at) }
      return Object.entries(read.oldest).flatMap(([state, since]) =>
        single(since === undefined ? 0 : Math.max(0, at - since) / 1_000, { state }),
      )
    },
    daybook_callback_addresses_resting: () => single(destinations.restedCount()),
  } satisfies Partial<Record<MetricName, Read>>
}

const auditSources = ({ tree }: Observed, { lastAudit, keysHold }: Measured) =>
  ({
    daybook_audit_holds: () => {
      const last = lastAudit()
      return single(last && Number(last.holds))
    },
    daybook_audit_held_timestamp_seconds: () => single(seconds(lastAudit()?.held?.at)),
    daybook_audit_behind_events: () => single(tree.size() - (lastAudit()?.held?.events ?? 0)),
    daybook_signing_keys_hold: () => single(Number(keysHold())),
  }) satisfies Partial<Record<MetricName, Read>>

const storeSources = ({ readModels, failures, measures, settings, clockBehindMs }: Observed) => {
  const disk = () => aside(() => statfs(settings.DATA_DIR)).catch(() => undefined)
  return {
    daybook_store_up: async () => {
      const { isStoreUp } = await readModels.progress()
      return single(Number(isStoreUp && failures().length === 0))
    },
    daybook_store_seconds: measures.store.samples,
    daybook_commit_seconds: measures.commits.seconds,
    daybook_commit_events: measures.commits.events,
    daybook_read_models_behind_events: async () => {
      const { isStoreUp, behind } = await readModels.progress()
      return single(isStoreUp ? behind : undefined)
    },
    daybook_read_models_behind_seconds: () => single(seconds(readModels.behindMs())),
    daybook_cache_lookups_total: cacheLookups,
    daybook_disk_free_bytes: async () => {
      const found = await disk()
      return single(found && found.bavail * found.bsize)
    },
    daybook_disk_size_bytes: async () => {
      const found = await disk()
      return single(found && found.blocks * found.bsize)
    },
    daybook_clock_behind_seconds: () => single(seconds(clockBehindMs())),
  } satisfies Partial<Record<MetricName, Read>>
}

/** What has no values is absent; what has no entry here does not compile. */
const sourcesOf = (core: Observed, measured: Measured, counted: Counted) => {
  const { settings, sharedWork, paymentCounts } = core
  const { messageAlarms, listenerCount, mayDo } = measured
  const ends = certificateEnds(settings, wallClock)
  return {
    ...paymentCounts(),
    ...counted(),
    ...storeSources(core),
    ...callbackSources(core),
    ...moneySources(core),
    ...auditSources(core, measured),
    daybook_build_info: () => single(1, { version, node: process.version, mode: settings.MODE }),
    daybook_scraped_timestamp_seconds: () => single(seconds(measured.scrapedAt())),
    daybook_nodes: () => single(sharedWork?.nodes().length),
    daybook_pusher_connections: () => single(listenerCount()),
    daybook_message_limits_reached: () =>
      ['network', 'country', 'all'].flatMap((limit) =>
        single(messageAlarms().filter(({ of }) => of === limit).length, { limit }),
      ),
    daybook_work_held: () => leasedKinds.flatMap((kind) => single(Number(mayDo(kind)), { kind })),
    daybook_thread_failures_total: threadFailures,
    daybook_certificate_end_timestamp_seconds: ends,
  } satisfies Record<Exclude<MetricName, 'daybook_processes'>, Read>
}

export const openRegistry = (core: Observed, measured: Measured, counted: Counted) => {
  const registry = processMetrics()
  const sources = Object.entries(sourcesOf(core, measured, counted))
  return {
    metrics: async (): Promise<readonly Metric[]> => {
      const own = sources.map(async ([name, read]) => metricOf(name as MetricName, await read()))
      return [...(await registry.getMetricsAsJSON()), ...(await Promise.all(own))]
    },
  }
}
