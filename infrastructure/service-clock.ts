import { randomUUID } from 'node:crypto'
import { clocks } from '../domain/aggregates.ts'
import type { RecordedEvent } from '../application/event-store.ts'
import type { Find } from '../application/find-state.ts'
import type { Context, Handle } from '../application/handle.ts'
import type { OperatorAccount } from '../domain/cause.ts'
import { clockEvents, machineTimeAt } from '../domain/clock.ts'
import type { Instant } from '../domain/time.ts'

type Needs = { readonly find: Find; readonly handle: Handle }

/**
 * The clock of the service. Only the sandbox moves it, and then all its processes. `operator` runs
 * a command in this process.
 */
export const openClock = async ({ find, handle }: Needs, operator?: OperatorAccount) => {
  let { aheadBy } = await find(clocks, 'service')
  const moveTo = (found: number): void => {
    // Later steps may have come by already.
    aheadBy = Math.max(aheadBy, found)
  }
  const now = (): Instant => Date.now() + aheadBy
  return {
    now,
    /** Learns of what others have moved, without waiting to hear of it. */
    readClock: async (): Promise<void> => moveTo((await find(clocks, 'service', 'log')).aheadBy),
    contextOf: (actor: string, merchant: string | null = null): Context => ({
      at: now(),
      merchant,
      actor,
      correlationId: randomUUID(),
      operator: actor === 'operator' ? operator : undefined,
    }),
    /** What the clock of the machine showed when the service's showed that. */
    machineTime: async (at: Instant): Promise<Instant> =>
      machineTimeAt(await find(clocks, 'service'), at),
    advanceClock: async (
      step: { readonly by: number } | { readonly to: Instant },
      context: Context,
      /** What the clock of the machine showed when it was asked for. */
      machine = Date.now(),
    ): Promise<void> => {
      const command = { type: 'AdvanceClock', machine, ...step } as const
      moveTo((await handle(clocks, 'service', command, context)).state.aheadBy)
    },
    observeClock: (events: readonly RecordedEvent[]): void => {
      for (const { type, data } of events)
        if (type === 'ClockAdvanced') moveTo(clockEvents.ClockAdvanced.parse(data).aheadBy)
    },
  }
}
