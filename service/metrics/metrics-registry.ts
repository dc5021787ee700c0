import { statfs } from 'node:fs/promises'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { LastAudit } from '../../audit/verify/last-audit.ts'
import type { Core } from '../core.ts'
import type { requestTimes } from '../server/request-log.ts'
import type { MessageAlarm } from '../../infrastructure/people/message-limits.ts'
import { version } from '../../infrastructure/version.ts'
import { aside } from '../../application/machine.ts'

export type Measured = {
  readonly listenerCount: () => number
  readonly lastAudit: () => LastAudit | undefined
  readonly messageAlarms: () => readonly MessageAlarm[]
  /** Number of callback attempts, by result. */
  readonly attempts: ReadonlyMap<string, number>
  readonly requestTimes: ReturnType<typeof requestTimes>['metric']
}

type Observed = Pick<
  Core,
  'settings' | 'readModels' | 'failures' | 'eventCounts' | 'callbacks' | 'accounting'
>

/** Results of the last audit; absent before the first. */
const auditGauges = (registry: Registry, lastAudit: Measured['lastAudit']): void => {
  const registers = [registry]
  const tell = (gauge: Gauge, value: number | undefined): void =>
    value === undefined ? gauge.remove() : gauge.set(value)
  new Gauge({
    name: 'daybook_audit_holds',
    help: 'Whether nothing was wrong in the last audit of the log: 1, else 0.',
    registers,
    collect() {
      const last = lastAudit()
      tell(this, last && Number(last.holds))
    },
  })
  new Gauge({
    name: 'daybook_audit_held_timestamp_seconds',
    help: 'When nothing was wrong in an audit of the log last.',
    registers,
    collect() {
      const held = lastAudit()?.held
      tell(this, held ? held.at / 1_000 : undefined)
    },
  })
}

/** Names from the library; only counters should end in `_total`. */
const gaugesNamedAsCounters = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
]

/** Process metrics of the library, and the build's version. */
const processMetrics = (registry: Registry, mode: string): void => {
  collectDefaultMetrics({ register: registry })
  for (const name of gaugesNamedAsCounters) registry.removeSingleMetric(name)
  new Gauge({
    name: 'daybook_build_info',
    help: 'What runs here: always 1.',
    labelNames: ['version', 'node', 'mode'],
    registers: [registry],
  }).set({ version, node: process.version, mode }, 1)
}

/**
 * Values read at scrape time.
 * Long because it is a list of metrics.
 */
const ownMetrics = (
  registers: Registry[],
  { settings, callbacks, accounting }: Observed,
  { attempts, listenerCount, messageAlarms }: Measured,
): void => {
  new Counter({
    name: 'daybook_callback_attempts_total',
    help: 'Attempts to deliver a callback, by what came of them.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const [result, count] of attempts) this.inc({ result }, count)
    },
  })
  new Gauge({
    name: 'daybook_disk_free_bytes',
    help: 'What is left for this process on the disk of its data directory.',
    registers,
    async collect() {
      await aside(() => statfs(settings.DATA_DIR)).then(
        ({ bavail, bsize }) => this.set(bavail * bsize),
        () => this.remove(),
      )
    },
  })
  new Gauge({
    name: 'daybook_callbacks_unfinished',
    help: 'Resources with callback messages that have not arrived.',
    registers,
    collect() {
      this.set(callbacks.queue.unfinishedCount())
    },
  })
  new Gauge({
    name: 'daybook_bank_debits_unexplained',
    help: 'Entries of the bank: money that left the account and is not one payout once.',
    registers,
    collect() {
      this.set(accounting.bankEntries.openDebits())
    },
  })
  new Gauge({
    name: 'daybook_message_limits_reached',
    help: 'Limits of text messages that were reached in the last hour, by what they are of.',
    labelNames: ['limit'],
    registers,
    collect() {
      for (const limit of ['network', 'country', 'all'])
        this.set({ limit }, messageAlarms().filter(({ of }) => of === limit).length)
    },
  })
  new Gauge({
    name: 'daybook_pusher_connections',
    help: 'Clients that are connected to listen to channels.',
    registers,
    collect() {
      this.set(listenerCount())
    },
  })
}

const storeGauges = (registers: Registry[], { readModels, failures }: Observed) => {
  const up = new Gauge({
    name: 'daybook_store_up',
    help:
      'Whether the log has just said where it ends, and it, the vault and the folder of blobs ' +
      'did not fail a moment ago: 1, else 0.',
    registers,
  })
  const lag = new Gauge({
    name: 'daybook_read_models_behind_events',
    help: 'Events that the read models lack; none while the store is away.',
    registers,
  })
  return async (): Promise<void> => {
    const { behind, isStoreUp } = await readModels.progress()
    up.set(Number(isStoreUp && failures().length === 0))
    if (isStoreUp) lag.set(behind)
    else lag.remove()
  }
}

const journalGauges = (registers: Registry[], { accounting: { journal } }: Observed) => {
  const imbalances = new Gauge({
    name: 'daybook_journal_imbalance_minor_units',
    help: 'What the debits and credits of the journal differ by; anything but zero is a bug.',
    labelNames: ['currency'],
    registers,
  })
  const accounts = new Gauge({
    name: 'daybook_journal_balance_minor_units',
    help: 'Balance of the accounts of the journal, debits less credits, all merchants together.',
    labelNames: ['account', 'currency'],
    registers,
  })
  return (): void => {
    for (const { currency, imbalance, balances } of journal.trialBalance()) {
      imbalances.set({ currency }, Number(imbalance))
      for (const [account, sum] of Object.entries(balances))
        accounts.set({ account, currency }, Number(sum))
    }
  }
}

export const openRegistry = (core: Observed, measured: Measured) => {
  const registry = new Registry()
  processMetrics(registry, core.settings.MODE)
  auditGauges(registry, measured.lastAudit)
  ownMetrics([registry], core, measured)
  const setStore = storeGauges([registry], core)
  const setJournal = journalGauges([registry], core)
  return {
    metrics: async () => {
      await setStore()
      setJournal()
      const known = await registry.getMetricsAsJSON()
      return [...known, ...core.eventCounts(), measured.requestTimes()]
    },
  }
}
