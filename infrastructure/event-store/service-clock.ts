import { clocks } from '../../domain/aggregates.ts'
import type { EventStore, RecordedEvent } from '../../application/event-store.ts'
import type { Find } from '../../application/find-state.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { OperatorAccount } from '../../domain/cause.ts'
import { clockEvents, machineTimeAt } from '../../domain/clock.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { randomUUID, wallClock } from '../../application/machine.ts'

type Needs = { readonly find: Find; readonly handle: Handle }

/**
 * The service's clock. Only the sandbox can move it, for all its processes. `operator` is set if a
 * command runs in this process.
 */
export const openClock = async ({ find, handle }: Needs, operator?: OperatorAccount) => {
  let { aheadBy } = await find(clocks, 'service')
  const moveTo = (found: number): void => {
    // Later steps may have been applied already.
    aheadBy = Math.max(aheadBy, found)
  }
  const now = (): Instant => wallClock() + aheadBy
  return {
    now,
    /** Reads what others have moved, without waiting for notification. */
    readClock: async (): Promise<void> => moveTo((await find(clocks, 'service', 'log')).aheadBy),
    contextOf: (actor: string, merchant: string | null = null): Context => ({
      at: now(),
      merchant,
      actor,
      correlationId: randomUUID(),
      operator: actor === 'operator' ? operator : undefined,
    }),
    /** The machine's time at a time of the service. */
    machineTime: async (at: Instant): Promise<Instant> =>
      machineTimeAt(await find(clocks, 'service'), at),
    advanceClock: async (
      step: { readonly by: number } | { readonly to: Instant },
      context: Context,
      /** The machine's time at the request. */
      machine = wallClock(),
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

/** The service's time, for a command that has only the log. */
export const nowByLog = async (log: Pick<EventStore, 'readStream'>): Promise<Instant> => {
  const steps = await log.readStream(streamOf(clocks, 'service'))
  const ahead = steps.map(({ data }) => clockEvents.ClockAdvanced.parse(data).aheadBy)
  return wallClock() + Math.max(0, ...ahead)
}
