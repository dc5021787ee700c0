import { StoreUnavailable } from '../application/event-store.ts'
import type { Context } from '../application/handle.ts'
import type { Instant } from '../domain/time.ts'
import type { Core } from './core.ts'
import type { accountingSlice } from './slices/accounting.ts'

type Step = { readonly by: number } | { readonly to: Instant }

/** What only the sandbox has: payers who are found by name, and a clock that moves. */
export const sandboxControls = (
  core: Core,
  settle: () => Promise<void>,
  { settleNow }: Pick<ReturnType<typeof accountingSlice>, 'settleNow'>,
) => ({
  findPayer: core.people.payers.byIdOrPhone,
  advanceClock: async (step: Step, context: Context): Promise<Instant> => {
    const askedAt = Date.now()
    // What is under way ends at the time at which it began.
    await settle()
    // The time that was asked for may have passed meanwhile.
    await core.advanceClock(step, context, askedAt)
    await settle()
    return core.now()
  },
  settleNow: async (merchant: string, correlationId: string): Promise<void> => {
    const failing = await settleNow(core.now(), { actor: 'sandbox', correlationId }, merchant)
    if (failing.includes(merchant)) throw new StoreUnavailable(`settling ${merchant} fails`)
  },
})
