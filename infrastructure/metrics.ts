import { statfs } from 'node:fs/promises'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { LastAudit } from './audit/last-audit.ts'
import type { Core } from './core.ts'
import { requestTimes } from './request-times.ts'
import type { Settings } from './settings.ts'
import { version } from './version.ts'

type Needs = Pick<
  Core,
  'readModels' | 'storesWork' | 'eventCounts' | 'callbacks' | 'accounting'
> & {
  readonly settings: Pick<Settings, 'MODE' | 'DATA_DIR'>
  /** Open connections of Pusher clients. */
  readonly listenerCount: () => number
  readonly lastAudit: () => LastAudit | undefined
}

/** What the last audit found; nothing before the first one. */
const auditGauges = (registry: Registry, lastAudit: Needs['lastAudit']): void => {
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

/** Names of the library; `_total` should end counters only. */
const gaugesNamedAsCounters = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
]

export const makeMetrics = (needs: Needs) => {
  const {
    readModels,
    storesWork,
    callbacks: { queue },
    accounting: { journal },
    settings,
  } = needs
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of gaugesNamedAsCounters) registry.removeSingleMetric(name)
  new Gauge({
    name: 'daybook_build_info',
    help: 'What runs here: always 1.',
    labelNames: ['version', 'node', 'mode'],
    registers: [registry],
  }).set({ version, node: process.version, mode: settings.MODE }, 1)
  auditGauges(registry, needs.lastAudit)
  const requests = requestTimes()
  const callbacks = new Counter({
    name: 'daybook_callback_attempts_total',
    help: 'Attempts to deliver a callback, by what came of them.',
    labelNames: ['result'],
    registers: [registry],
  })
  const storeUp = new Gauge({
    name: 'daybook_store_up',
    help: 'Whether the log has just said where it ends, and it, the vault and the folder of blobs did not fail a moment ago: 1, else 0.',
    registers: [registry],
  })
  const lag = new Gauge({
    name: 'daybook_read_models_behind_events',
    help: 'Events that the read models lack; none while the store is away.',
    registers: [registry],
  })
  new Gauge({
    name: 'daybook_disk_free_bytes',
    help: 'What is left for this process on the disk of its data directory.',
    registers: [registry],
    async collect() {
      await statfs(settings.DATA_DIR).then(
        ({ bavail, bsize }) => this.set(bavail * bsize),
        () => this.remove(),
      )
    },
  })
  new Gauge({
    name: 'daybook_callbacks_unfinished',
    help: 'Resources with callback messages that have not arrived.',
    registers: [registry],
    collect() {
      this.set(queue.unfinishedCount())
    },
  })
  new Gauge({
    name: 'daybook_pusher_connections',
    help: 'Clients that are connected to listen to channels.',
    registers: [registry],
    collect() {
      this.set(needs.listenerCount())
    },
  })
  const imbalances = new Gauge({
    name: 'daybook_journal_imbalance_minor_units',
    help: 'What the debits and credits of the journal differ by; anything but zero is a bug.',
    labelNames: ['currency'],
    registers: [registry],
  })
  const accounts = new Gauge({
    name: 'daybook_journal_balance_minor_units',
    help: 'Balance of the accounts of the journal, debits less credits, all merchants together.',
    labelNames: ['account', 'currency'],
    registers: [registry],
  })
  return {
    observeRequest: requests.observe,
    countAttempt: (result: string): void => callbacks.inc({ result }),
    text: async () => {
      const { behind, isStoreUp } = await readModels.progress()
      storeUp.set(Number(isStoreUp && storesWork()))
      if (isStoreUp) lag.set(behind)
      else lag.remove()
      for (const { currency, imbalance, balances } of journal.trialBalance()) {
        imbalances.set({ currency }, Number(imbalance))
        for (const [account, sum] of Object.entries(balances))
          accounts.set({ account, currency }, Number(sum))
      }
      return {
        type: registry.contentType,
        text: [await registry.metrics(), needs.eventCounts(), requests.text()].join('\n'),
      }
    },
  }
}
