import { StoreUnavailable } from '../../application/event-store.ts'
import { openAccounting } from '../accounting.ts'
import type { Core } from '../core.ts'
import type { Settings } from '../settings.ts'

/** Ledgers and settlements. Reports are completed and merchants settled beside the requests. */
export const accountingSlice = (core: Core, settings: Settings) => {
  const accounting = openAccounting(core, settings)
  const { settleDue, settleNow, closeDue, completeReports, readLog, close } = accounting
  return {
    settleNow: async (merchant: string, correlationId: string): Promise<void> => {
      const by = { actor: 'sandbox', correlationId }
      const failing = await settleNow(core.now(), by, merchant)
      if (failing.includes(merchant)) throw new StoreUnavailable(`settling ${merchant} fails`)
    },
    needs: { ...core.accounting, readLog },
    // Logs under way are given up, however long they are: the next start makes them.
    work: [
      { due: settleDue, lease: 'merchants' as const },
      { due: accounting.changeAccounts, lease: 'merchants' as const },
      { due: closeDue, lease: 'merchants' as const },
      { due: completeReports, giveUp: close, lease: 'merchants' as const },
    ],
  }
}
