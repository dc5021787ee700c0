import type { EventStore } from '../application/event-store.ts'
import { clockToleranceMs, isAhead, type Instant } from '../domain/time.ts'
import type { Log } from './log.ts'

const lookEveryMs = 10_000

type Needs = {
  readonly log: Pick<Log, 'warn'>
  readonly machineNow: () => Instant
  /** Milliseconds by a clock that nobody sets. */
  readonly elapsed: () => number
  readonly after: (milliseconds: number, wake: () => void) => () => void
}

const back = "the machine's clock was put back: what the log dates later than now is not waited for"

/** Says when the clock of the machine goes back by more than a minute while the service runs. */
export const watchClock = ({ log, machineNow, elapsed, after }: Needs) => {
  const offset = (): number => machineNow() - elapsed()
  let latest = offset()
  let callOff = () => {}
  const look = (): void => {
    const now = offset()
    if (latest - now > clockToleranceMs)
      log.warn({ seconds: Math.round((latest - now) / 1000) }, back)
    // A clock that is slewed back goes back, too, a little at each look.
    if (now > latest || latest - now > clockToleranceMs) latest = now
    callOff = after(lookEveryMs, look)
  }
  look()
  return { stop: (): void => callOff() }
}

/** In positions: so far back a start looks for the latest event. */
const lastEvents = 200

/** Says at a start that the clock stands before what the log holds already. */
export const checkClock = async (
  log: Pick<Log, 'warn'>,
  store: Pick<EventStore, 'head' | 'readAll'>,
  now: Instant,
): Promise<void> => {
  let latest = -Infinity
  for await (const batch of store.readAll(Math.max(0, (await store.head()) - lastEvents)))
    for (const { metadata } of batch) latest = Math.max(latest, Number(metadata['at']))
  if (isAhead(latest, now)) log.warn({ seconds: Math.round((latest - now) / 1000) }, back)
}
