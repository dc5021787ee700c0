import { addUp } from '../domain/money/money.ts'
import { earliestDay, latestDay } from '../projections/payouts.ts'
import type { Core } from './core.ts'

/** Days with payouts that wait; they are few where payouts are made. */
const mostDays = 400

const waitingPayouts = ({ accounting }: Core, status: 'due' | 'returned') => {
  const range = { merchant: null, status, since: earliestDay, until: latestDay }
  const found = accounting.payouts.sums(range, mostDays)
  const currencies = [...new Set(found.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const own = found.filter((one) => one.currency === currency)
    const count = own.reduce((sum, one) => sum + one.count, 0)
    return { currency, count, sum: addUp(...own.map(({ amount }) => amount)) }
  })
}

/** What waits, and how far the work beside the requests is. */
export const waitingIn = (core: Core) => {
  const { accounting, callbacks, merchants } = core
  const { list } = merchants
  return {
    merchantCounts: () => ({
      all: list.count(),
      waiting: list.waitingCount(),
      disabled: list.disabledCount(),
    }),
    waitingPayouts: (status: 'due' | 'returned') => waitingPayouts(core, status),
    restedAddresses: callbacks.destinations.rested,
    workInProgress: () => ({
      callbacks: callbacks.queue.unfinishedCount(),
      settlements: accounting.settlements.unfinishedCount(),
      reports: accounting.reports.closingCount(),
    }),
  }
}
