import { command, onData } from './command.ts'
import { rebuildReadModels } from '../infrastructure/read-models/rebuild.ts'
import { isToOrder } from '../domain/accounting/payout-state.ts'
import { formatAmount } from '../domain/money/money.ts'
import { fundingOf } from '../service/bank/funding.ts'
import type { Core } from '../service/core.ts'
import { followLeases } from '../application/lease-stream.ts'
import { steadyTime } from '../application/machine.ts'
import { eventLevel } from '../domain/event-level.ts'

/** An imbalance makes the command fail, so that it is noticed. */
export const accountingStatus = ({ accounting }: Core) => {
  const { journal, reports, settlements, bankEntries } = accounting
  const toOrder = settlements.payable().flatMap(({ payouts }) => payouts.filter(isToOrder))
  const trialBalance = journal.trialBalance()
  const isBalanced = trialBalance.every(({ imbalance }) => imbalance === '0')
  if (!isBalanced) process.exitCode = 1
  return {
    journal_balanced: isBalanced,
    trial_balance: trialBalance.map(({ currency, balances, imbalance }) => ({
      currency,
      ...Object.fromEntries(
        Object.entries(balances).map(([name, sum]) => [name, formatAmount(sum, currency)]),
      ),
      imbalance: formatAmount(imbalance, currency),
    })),
    reports_closing: reports.closingCount(),
    settlements_unfinished: settlements.unfinishedCount(),
    payouts_to_order: toOrder.length,
    bank_debits_unexplained: bankEntries.openDebits(),
  }
}

/** Of an EventStoreDB that nodes share: what each reads, as it says in the stream of leases. */
const nodesStatus = async ({ streams }: Core) => {
  if (!streams) return {}
  const stream = followLeases({ store: streams.urgent, node: '', elapsed: steadyTime })
  await stream.read()
  const nodes = Object.entries(stream.nodes())
  return {
    reads_events_up_to: eventLevel,
    nodes: nodes.map(([node, { version = null, reads = 0, does }]) => ({
      node,
      version,
      reads_events_up_to: reads,
      leases: Object.keys(does).length,
    })),
  }
}

export const statusCommands = [
  command({
    name: 'rebuild',
    about: 'fold the whole log into new read models, used from the next start',
    run: ({ settings }) => rebuildReadModels(settings),
  }),
  onData({
    name: 'status',
    about: 'print the state of the log, the read models and the journal',
    run: async (core) => {
      const { readModels, callbacks, merchants, settings, now, vault } = core
      await readModels.caughtUp()
      const { head, position } = await readModels.progress()
      return {
        now: new Date(now()).toISOString(),
        ...(await nodesStatus(core)),
        event_store: settings.EVENT_STORE === 'sqlite' ? 'sqlite' : 'EventStoreDB',
        log_position: head,
        read_models_position: position,
        merchants: merchants.merchants.all().length,
        vault_wrapped_by: vault.wrappedBy() ?? null,
        callbacks_unfinished: callbacks.queue.unfinishedCount(),
        ...accountingStatus(core),
        funding_differences: (await fundingOf(core)).book.differences().length,
      }
    },
  }),
]

export const openApiCommand = command({
  name: 'openapi',
  about: 'print the interface as an OpenAPI document',
  run: async ({ settings }) => {
    const { described } = await import('../service/server.ts')
    process.stdout.write(`${JSON.stringify(described(settings), null, 2)}\n`)
  },
})
