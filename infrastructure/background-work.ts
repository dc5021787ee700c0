import { join } from 'node:path'
import { StoreUnavailable } from '../application/event-store.ts'
import { schedule, type DueWork } from '../application/schedule.ts'
import { checkClock, watchClock } from './clock-watch.ts'
import type { Core } from './core.ts'
import type { LeasedKind, SharedWork } from './leases.ts'
import { soleProcess } from './sole-process.ts'

const retryAfterMs = 1000
/** How long events gather before the work that they make due is looked for, in ms. */
const gatherMs = 20
/** How often work that nobody outside waits for is looked for while events keep coming, in ms. */
const apartMs = 200
/** How often a process asks whether to stand in for the one that tells others. */
const standInEveryMs = 1000

/** Work of a slice beside the requests. */
export type Work = {
  readonly due: DueWork
  /** Tells somebody else: one process of a directory does it, or each would tell everything. */
  readonly isTelling?: boolean
  /** What is shared out among the nodes of an EventStoreDB. */
  readonly lease?: LeasedKind
  /** Whether this node can do it at all; each can, unless it says so. */
  readonly isAble?: () => Promise<boolean>
  /** Given how to have it looked for at once. */
  readonly onScheduled?: (wake: () => void) => void
  /** Does all that is due by now, where `due` only begins it. */
  readonly settle?: (stopped: AbortSignal) => Promise<void>
  /** Gives up what takes long, when the service stops. */
  readonly giveUp?: () => Promise<void>
  /** Waits for what `due` has begun. */
  readonly idle?: () => Promise<void>
}

export const after = (milliseconds: number, wake: () => void) => {
  const timer = setTimeout(wake, milliseconds)
  return () => clearTimeout(timer)
}

/** Logs that work failed; it will be tried again. */
export const workFailed =
  ({ noteDamage, log }: Pick<Core, 'noteDamage' | 'log'>) =>
  (error: unknown): void => {
    noteDamage(error)
    // That the store is away is logged once, by whoever watches it.
    const level = error instanceof StoreUnavailable ? 'debug' : 'error'
    log[level]({ error }, 'a process failed; it will try again')
  }

/** Lets one process of a directory tell, and another one when it has ended. */
const electTeller = (directory: string, caughtUp: () => Promise<void>) => {
  const { isOurs, resign } = soleProcess(join(directory, 'telling.lock'))
  const byOneProcess = (work: DueWork): DueWork => {
    let isCaughtUp = false
    return async (at, stopped) => {
      if (!isOurs()) return at + standInEveryMs
      // What the process before this one has told must be known here first.
      if (!isCaughtUp) await caughtUp()
      isCaughtUp = true
      return work(at, stopped)
    }
  }
  return { isOurs, resign, byOneProcess }
}

const realTime = { after, elapsed: (): number => performance.now() }

/** Runs an action once for all calls within 20 ms, and no sooner than so long after it ran. */
export const gathered = (act: () => void, apart = gatherMs, time = realTime): (() => void) => {
  let isDue = false
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (isDue) return
    isDue = true
    time.after(Math.max(gatherMs, last + apart - time.elapsed()), () => {
      isDue = false
      last = time.elapsed()
      act()
    })
  }
}

/** Removes read models of other versions; a later start tries again with what cannot be removed. */
const tidyUp = ({ removeOutdatedReadModels, log }: Core): void => {
  try {
    removeOutdatedReadModels()
  } catch (error) {
    log.warn({ error }, 'read models of another version could not be removed')
  }
}

/** Does what this process may do of some work. */
const permitted = (
  { due, isTelling, lease }: Work,
  byOneProcess: (due: DueWork) => DueWork,
  shared: SharedWork | undefined,
): DueWork => {
  if (!shared || !lease) return isTelling ? byOneProcess(due) : due
  return async (at, stopped) =>
    shared.isAnyOwn(lease) ? shared.using(lease, () => due(at, stopped)) : null
}

/** The kinds of leases that this node can do nothing with. */
const kindsBeyond = async (work: readonly Work[]): Promise<readonly string[]> => {
  const answers = work.map(async ({ lease, isAble }) =>
    lease && isAble && !(await isAble()) ? [lease] : [],
  )
  return (await Promise.all(answers)).flat()
}

const scheduleAll = (
  core: Core,
  work: readonly Work[],
  byOneProcess: (due: DueWork) => DueWork,
  onFailure: (error: unknown) => void,
) =>
  work.map((one) => {
    const due = permitted(one, byOneProcess, core.sharedWork)
    const scheduled = schedule({ now: core.now, after, onFailure }, due)
    one.onScheduled?.(scheduled.wake)
    return { ...one, scheduled }
  })

/**
 * Runs work whenever it is due, in the order in which one may make another due.
 * Long because beginning, settling and stopping share what is under way.
 */
export const runBackgroundWork = (core: Core, work: readonly Work[]) => {
  const { log } = core
  const { caughtUp, ready } = core.readModels
  const onFailure = workFailed(core)
  const teller = electTeller(core.settings.DATA_DIR, caughtUp)
  const all = scheduleAll(core, work, teller.byOneProcess, onFailure)
  const wakeAll = (which: typeof all) => () => which.forEach(({ scheduled }) => scheduled.wake())
  const wake = wakeAll(all)
  const wakeTelling = gathered(wakeAll(all.filter(({ isTelling }) => isTelling)))
  const wakeOthers = gathered(wakeAll(all.filter(({ isTelling }) => !isTelling)), apartMs)
  const mayDo = (lease: LeasedKind | undefined): boolean =>
    core.sharedWork && lease ? core.sharedWork.isAnyOwn(lease) : teller.isOurs()
  const stopping = new AbortController()
  let hasBegun = false
  let callOff = () => {}

  /** Waits until the read models are where the log is: what they lack would look undone. */
  const begin = (): void => {
    ready().then(
      () => {
        if (stopping.signal.aborted) return
        hasBegun = true
        core.onFolded(wakeTelling)
        core.onFolded(wakeOthers)
        wake()
        core.sharedWork?.begin({ wake, cannot: () => kindsBeyond(work) })
        tidyUp(core)
        const machine = { machineNow: Date.now, elapsed: () => performance.now() }
        callOff = watchClock({ log, after, ...machine }).stop
        checkClock(log, core.store, core.now()).catch(onFailure)
      },
      (error: unknown) => {
        // The log may be closed by now, and would be asked for ever.
        if (stopping.signal.aborted) return
        onFailure(error)
        callOff = after(retryAfterMs, begin)
      },
    )
  }

  return {
    begin,
    /** Whether the read models have been where the log is since the service was started. */
    hasBegun: (): boolean => hasBegun,
    /** Does all that is due by now, and waits for it. */
    settle: async (): Promise<void> => {
      for (const { settle, scheduled, lease } of all) {
        // What came a moment ago may be due too.
        await caughtUp()
        if (!settle) await scheduled.settle()
        // Whoever stops has resigned, or is about to.
        else if (!stopping.signal.aborted && mayDo(lease)) await settle(stopping.signal)
      }
      await caughtUp()
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      callOff()
      const stopped = all.map(({ scheduled }) => scheduled.stop())
      await Promise.all([...stopped, ...all.map(({ giveUp }) => giveUp?.())])
      await Promise.all(all.map(({ idle }) => idle?.()))
      await core.sharedWork?.end()
      teller.resign()
    },
  }
}
