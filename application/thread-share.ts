import { queueByKey, type Path } from './queue-by-key.ts'
import { timeBudget } from './time-budget.ts'
import { setImmediate, setTimeout, steadyTime } from './machine.ts'

type Needs = {
  /** The share of the thread's time that this work gets while other work is under way. */
  readonly share: number
  readonly maxWaiting: number
  /** Whether work came lately that takes no turns, such as small requests of merchants. */
  readonly isOtherWork: () => boolean
  /** Throws when too much is waiting. */
  readonly refuseMore: () => never
  readonly elapsed?: () => number
  /** Runs steps in one turn of the event loop, each with the promises that it settles. */
  readonly inOneTurn?: (steps: number, step: () => void) => void
  readonly after?: (ms: number, work: () => void) => void
}

/** Turns end after this time, for requests that have come meanwhile. */
const longestTurnMs = 2
const mostStarts = 16
/** What a key has used is made up for by so much of the time that passes. */
const regained = { burstMs: 0, share: 0.01 }

const immediately = (steps: number, step: () => void): void => {
  for (let count = 0; count < steps; count += 1) setImmediate(step)
}

const later = (ms: number, work: () => void): void => void setTimeout(work, ms)

/**
 * Turns on a thread, by what they cost. Who awaits a turn works until its next real wait; that time
 * is measured, and keys that have used less go first. While there is other work, all of this gets a
 * share of the time.
 * Long because a turn, the rest after it and the next turn share what is scheduled.
 */
export const threadShare = ({
  share,
  maxWaiting,
  isOtherWork,
  refuseMore,
  elapsed = steadyTime,
  inOneTurn = immediately,
  after = later,
}: Needs) => {
  const { spentBy, spend } = timeBudget(regained, elapsed)
  const waiting = queueByKey<() => void>({ maxWaiting, spentBy })
  let isScheduled = false

  /** A turn of the loop; `first` has begun already. */
  const run = (first: Path = []): void => {
    const starts = Math.min(waiting.size(), mostStarts)
    const turnOf = { left: starts, spent: 0, since: elapsed(), path: first }
    // One step more: each measures the work that the one before it has begun.
    inOneTurn(starts + 1, () => {
      const now = elapsed()
      const took = turnOf.path.length > 0 ? now - turnOf.since : 0
      turnOf.spent += took
      for (const key of turnOf.path) spend(key, took)
      turnOf.path = []
      turnOf.left -= 1
      if (turnOf.left < 0) return rest(turnOf.spent)
      if (turnOf.spent >= longestTurnMs) return
      const next = waiting.take()
      Object.assign(turnOf, { path: next?.path ?? [], since: now })
      next?.item()
    })
  }

  const rest = (spent: number): void => {
    isScheduled = false
    schedule(isOtherWork() ? spent / share - spent : 0)
  }

  const schedule = (pause: number): void => {
    if (isScheduled) return
    if (pause === 0 && waiting.size() === 0) return
    isScheduled = true
    if (pause === 0) return run()
    after(pause, () => {
      isScheduled = false
      schedule(0)
    })
  }

  /** Resolves when it is the turn of the path. */
  return (path: Path): Promise<void> => {
    // Whoever comes while nobody waits begins at once.
    const isFree = !isScheduled && waiting.size() === 0
    isScheduled ||= isFree
    if (isFree) return Promise.resolve(run(path))
    return new Promise((resolve) => {
      if (!waiting.add(path, resolve)) refuseMore()
      schedule(0)
    })
  }
}
