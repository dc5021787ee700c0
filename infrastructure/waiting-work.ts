import type { Core } from './core.ts'

/** What waits, and how far the work beside the requests is. */
export const waitingIn = ({ accounting, callbacks, merchants }: Core) => {
  const { list } = merchants
  return {
    merchantCounts: () => ({
      all: list.count(),
      waiting: list.waitingCount(),
      disabled: list.disabledCount(),
    }),
    waitingPayouts: accounting.payouts.totals,
    restedAddresses: callbacks.destinations.rested,
    workInProgress: () => ({
      callbacks: callbacks.queue.unfinishedCount(),
      settlements: accounting.settlements.unfinishedCount(),
      reports: accounting.reports.closingCount(),
    }),
  }
}
