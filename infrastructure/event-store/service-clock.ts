import { clocks } from '../../domain/aggregates.ts'
import type { EventStore, RecordedEvent } from '../../application/event-store.ts'
import type { Find } from '../../application/find-state.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { OperatorAccount } from '../../domain/cause.ts'
import { clockEvents, machineTimeAt } from '../../domain/clock.ts'
import { streamOf } from '../../domain/stream.ts'
import { type Instant, clockToleranceMs, isAhead } from '../../domain/time.ts'
import { randomUUID, wallClock } from '../../application/machine.ts'
import type { Log } from '../logs/log.ts'

/**
 * The service's clock. Only the sandbox can move it, for all its processes. `operator` is set if a
 * command runs in this process.
 */
export const openClock = async (
  { find, handle }: { readonly find: Find; readonly handle: Handle },
  operator?: OperatorAccount,
) => {
  let { aheadBy } = await find(clocks, 'service')
  const moveTo = (found: number): void => {
    // Later steps may have been applied already.
    aheadBy = Math.max(aheadBy, found)
  }
  const now = (): Instant => wallClock() + aheadBy
  let latest = -Infinity
  const observeMoves = (events: readonly RecordedEvent[]): void => {
    for (const event of events)
      if (event.type === 'ClockAdvanced')
        moveTo(clockEvents.ClockAdvanced.parse(event.data).aheadBy)
  }
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
      machine = wallClock(),
    ): Promise<void> => {
      const command = { type: 'AdvanceClock', machine, ...step } as const
      moveTo((await handle(clocks, 'service', command, context)).state.aheadBy)
    },
    /** How far it is behind the newest event seen, in ms. */
    behindMs: (): number => Math.max(0, latest - now()),
    observeMoves,
    observeClock: (events: readonly RecordedEvent[]): void => {
      for (const { metadata } of events) latest = Math.max(latest, Number(metadata['at']) || 0)
      observeMoves(events)
    },
  }
}

/** The service's time, for a command that has only the log. */
export const nowByLog = async (log: Pick<EventStore, 'readStream'>): Promise<Instant> => {
  const steps = await log.readStream(streamOf(clocks, 'service'))
  const ahead = steps.map(({ data }) => clockEvents.ClockAdvanced.parse(data).aheadBy)
  return wallClock() + Math.max(0, ...ahead)
}

const checkEveryMs = 10_000

type Needs = {
  readonly log: Pick<Log, 'warn'>
  readonly machineNow: () => Instant
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number
  readonly after: (milliseconds: number, wake: () => void) => () => void
}

const back =
  "the machine's clock was set back: " +
  'deadlines do not wait for it to reach the latest event in the log'

/** Warns when the machine's clock is set back by more than a minute. */
export const watchClock = ({ log, machineNow, elapsed, after }: Needs) => {
  const offset = (): number => machineNow() - elapsed()
  let latest = offset()
  let cancel = () => {}
  const check = (): void => {
    const now = offset()
    if (latest - now > clockToleranceMs)
      log.warn({ seconds: Math.round((latest - now) / 1000) }, back)
    // A slewed clock goes back slightly at each check.
    if (now > latest || latest - now > clockToleranceMs) latest = now
    cancel = after(checkEveryMs, check)
  }
  check()
  return { stop: (): void => cancel() }
}

const lastEvents = 200

/** Warns at startup if the log contains events from the future. */
export const checkClock = async (
  log: Pick<Log, 'warn'>,
  store: Pick<EventStore, 'readBack'>,
  now: Instant,
  observe: (events: readonly RecordedEvent[]) => void = () => {},
): Promise<void> => {
  const last = await store.readBack(undefined, lastEvents)
  observe(last)
  const latest = Math.max(...last.map(({ metadata }) => Number(metadata['at'])))
  if (isAhead(latest, now)) log.warn({ seconds: Math.round((latest - now) / 1000) }, back)
}
