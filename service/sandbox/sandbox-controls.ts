import { StoreUnavailable } from '../../application/event-store.ts'
import type { Context } from '../../application/handle.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import type { accountingSlice } from '../slices/accounting.ts'

type Step = { readonly by: number } | { readonly to: Instant }

/** Features of the sandbox only: payers found by name, and a clock that can be moved. */
export const sandboxControls = (
  core: Core,
  settle: () => Promise<void>,
  { settleNow }: Pick<ReturnType<typeof accountingSlice>, 'settleNow'>,
) => ({
  findPayer: core.people.payers.byIdOrPhone,
  advanceClock: async (step: Step, context: Context): Promise<Instant> => {
    const askedAt = Date.now()
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
