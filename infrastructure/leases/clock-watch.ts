import type { EventStore } from '../../application/event-store.ts'
import { clockToleranceMs, isAhead, type Instant } from '../../domain/time.ts'
import type { Log } from '../logs/log.ts'

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

/** Number of newest events checked at startup. */
const lastEvents = 200

/** Warns at startup if the log contains events from the future. */
export const checkClock = async (
  log: Pick<Log, 'warn'>,
  store: Pick<EventStore, 'readBack'>,
  now: Instant,
): Promise<void> => {
  const last = await store.readBack(undefined, lastEvents)
  const latest = Math.max(...last.map(({ metadata }) => Number(metadata['at'])))
  if (isAhead(latest, now)) log.warn({ seconds: Math.round((latest - now) / 1000) }, back)
}
