import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import type { TrialBalance } from '../projections/journal.ts'
import { requestTimes } from './request-times.ts'

type Progress = { readonly position: number; readonly head: number }

/** Metrics in Prometheus' form. */
export const makeMetrics = (
  progress: () => Promise<Progress>,
  queued: () => number,
  trialBalance: () => readonly TrialBalance[],
) => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = requestTimes()
  const callbacks = new Counter({
    name: 'daybook_callback_attempts_total',
    help: 'Attempts to deliver a callback, by what came of them.',
    labelNames: ['result'],
    registers: [registry],
  })
  new Gauge({
    name: 'daybook_read_models_behind_events',
    help: 'How far the read models are behind the head of the log, in positions.',
    registers: [registry],
    async collect() {
      const { head, position } = await progress()
      this.set(Math.max(0, head - position))
    },
  })
  new Gauge({
    name: 'daybook_callbacks_unfinished',
    help: 'Resources with callback messages that have not arrived.',
    registers: [registry],
    collect() {
      this.set(queued())
    },
  })
  new Gauge({
    name: 'daybook_journal_imbalance_minor_units',
    help: 'What the debits and credits of the journal differ by; anything but zero is a bug.',
    labelNames: ['currency'],
    registers: [registry],
    collect() {
      for (const { currency, imbalance } of trialBalance())
        this.set({ currency }, Number(imbalance))
    },
  })
  new Gauge({
    name: 'daybook_journal_balance_minor_units',
    help: 'Balance of the accounts of the journal, debits less credits, all merchants together.',
    labelNames: ['account', 'currency'],
    registers: [registry],
    collect() {
      for (const { currency, balances } of trialBalance())
        for (const [account, sum] of Object.entries(balances))
          this.set({ account, currency }, Number(sum))
    },
  })
  return {
    observeRequest: requests.observe,
    countAttempt: (result: string): void => callbacks.inc({ result }),
    text: async () => ({
      type: registry.contentType,
      text: `${await registry.metrics()}\n${requests.text()}`,
    }),
  }
}
