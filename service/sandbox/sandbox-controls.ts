import { StoreUnavailable } from '../../application/event-store.ts'
import type { Context } from '../../application/handle.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import type { AccountingSlice } from '../features/accounting.ts'
import { wallClock } from '../../application/machine.ts'

type Step = { readonly by: number } | { readonly to: Instant }

/** A clock that can be moved, with everything that is due by then. */
export const sandboxControls = (
  core: Core,
  settle: () => Promise<void>,
  settleNow: AccountingSlice['settleNow'],
) => ({
  advanceClock: async (step: Step, context: Context): Promise<Instant> => {
    const askedAt = wallClock()
    // Work in progress finishes at the time at which it started.
    await settle()
    // The requested time may have passed meanwhile.
    await core.advanceClock(step, context, askedAt)
    await settle()
    return core.now()
  },
  settleNow: async (merchant: string, correlationId: string): Promise<void> => {
    const failing = await settleNow(core.now(), { actor: 'sandbox', correlationId }, merchant)
    if (failing.includes(merchant)) throw new StoreUnavailable(`settling ${merchant} fails`)
  },
})
