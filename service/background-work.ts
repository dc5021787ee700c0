import { join } from 'node:path'
import { StoreUnavailable } from '../application/event-store.ts'
import { schedule, type DueWork } from '../application/schedule.ts'
import { checkClock, watchClock } from '../infrastructure/event-store/service-clock.ts'
import type { Core } from './core.ts'
import { type LeasedKind, type SharedWork, soleProcess } from '../infrastructure/leases/leases.ts'
import { clearTimeout, setTimeout, steadyTime, wallClock } from '../application/machine.ts'

const retryAfterMs = 1000

/** How long events gather before the work that they make due is looked for, in ms. */
const gatherMs = 20

/** How often work that sends nothing is looked for while events keep coming, in ms. */
const apartMs = 200

/** How often a process checks whether to take over sending, in ms. */
const standInEveryMs = 1000

export type Work = {
  /** In metrics. */
  readonly name: string
  readonly due: DueWork
  /** Sends messages to the outside. Only one process per directory does it, to avoid duplicates. */
  readonly sendsMessages?: boolean
  /** The kind of lease, if the nodes of an EventStoreDB share the work. */
  readonly lease?: LeasedKind
  /** Whether this node can do it; by default it can. */
  readonly isAble?: () => Promise<boolean>
  /** Receives a function that triggers an immediate check. */
  readonly onScheduled?: (wake: () => void) => void
  /** Completes everything due by now, whereas `due` only starts it. */
  readonly settle?: (stopped: AbortSignal) => Promise<void>
  /** Aborts what takes long, when the service stops. */
  readonly giveUp?: () => Promise<void>
  /** Waits for what `due` has started. */
  readonly idle?: () => Promise<void>
}

export const after = (milliseconds: number, wake: () => void) => {
  const timer = setTimeout(wake, milliseconds)
  return () => clearTimeout(timer)
}

export const workFailed =
  ({ noteDamage, log }: Pick<Core, 'noteDamage' | 'log'>) =>
  (error: unknown): void => {
    noteDamage(error)
    // An unavailable store is logged once, by its outage.
    const level = error instanceof StoreUnavailable ? 'debug' : 'error'
    log[level]({ error }, 'background work failed and will be retried')
  }

/** Elects one process per directory to send messages; another takes over when it ends. */
const electSender = (directory: string, caughtUp: () => Promise<void>) => {
  const { isOurs, resign } = soleProcess(join(directory, 'telling.lock'))
  const byOneProcess = (work: DueWork): DueWork => {
    let isCaughtUp = false
    return async (at, stopped) => {
      if (!isOurs()) return at + standInEveryMs
      // Catch up first with what the previous process sent.
      if (!isCaughtUp) await caughtUp()
      isCaughtUp = true
      return work(at, stopped)
    }
  }
  return { isOurs, resign, byOneProcess }
}

const realTime = { after, elapsed: steadyTime }

/** Runs an action once for all calls within 20 ms, and `apart` ms after the last run at least. */
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

type Woken = Pick<Work, 'sendsMessages'> & { readonly scheduled: { readonly wake: () => void } }

/** Functions to call with new events: one wakes work that sends messages, one all other work. */
export const wakersOf = (work: readonly Woken[], time = realTime): readonly (() => void)[] => {
  const wake = (sends: boolean) => (): void => {
    for (const one of work) if (!!one.sendsMessages === sends) one.scheduled.wake()
  }
  return [gathered(wake(true), gatherMs, time), gathered(wake(false), apartMs, time)]
}

const tidyEveryMs = 3_600_000

/** Removes read models of other versions. What cannot be removed is tried again. */
const tidyUp = ({ removeOutdatedReadModels, log }: Core): void => {
  try {
    removeOutdatedReadModels()
  } catch (error) {
    log.warn({ error }, 'read models of another version could not be removed')
  }
}

const permitted = (
  { due, sendsMessages, lease }: Work,
  byOneProcess: (due: DueWork) => DueWork,
  shared: SharedWork | undefined,
): DueWork => {
  if (!shared || !lease) return sendsMessages ? byOneProcess(due) : due
  return async (at, stopped) =>
    shared.isAnyOwn(lease) ? shared.using(lease, () => due(at, stopped)) : null
}

/** The kinds of leases that this node cannot use. */
const kindsBeyond = async (work: readonly Work[]): Promise<readonly string[]> => {
  const answers = work.map(async ({ lease, isAble }) =>
    lease && isAble && !(await isAble()) ? [lease] : [],
  )
  return (await Promise.all(answers)).flat()
}

/** Called with the duration of each run of some work, in seconds. */
type ObserveWork = (name: string, seconds: number) => void

const timed =
  (name: string, due: DueWork, observe: ObserveWork): DueWork =>
  async (at, stopped) => {
    const begun = steadyTime()
    try {
      return await due(at, stopped)
    } finally {
      observe(name, (steadyTime() - begun) / 1_000)
    }
  }

const scheduleAll = (
  core: Core,
  work: readonly Work[],
  observe: ObserveWork,
  byOneProcess: (due: DueWork) => DueWork,
  onFailure: (error: unknown) => void,
) =>
  work.map((one) => {
    const own = { ...one, due: timed(one.name, one.due, observe) }
    const due = permitted(own, byOneProcess, core.sharedWork)
    const scheduled = schedule({ now: core.now, after, onFailure }, due)
    one.onScheduled?.(scheduled.wake)
    return { ...one, scheduled }
  })

/**
 * Runs work whenever it is due, in the order in which one may make another due.
 * Long because starting, settling and stopping share what is in flight.
 */
export const runBackgroundWork = (
  core: Core,
  work: readonly Work[],
  observe: ObserveWork = () => {},
) => {
  const { log } = core
  const { caughtUp, ready } = core.readModels
  const onFailure = workFailed(core)
  const sender = electSender(core.settings.DATA_DIR, caughtUp)
  const all = scheduleAll(core, work, observe, sender.byOneProcess, onFailure)
  const wake = () => all.forEach(({ scheduled }) => scheduled.wake())
  const mayDo = (lease: LeasedKind | undefined): boolean =>
    core.sharedWork && lease ? core.sharedWork.isAnyOwn(lease) : sender.isOurs()
  const stopping = new AbortController()
  let hasBegun = false
  let callOff = () => {}
  let callOffTidying = () => {}

  const keepTidy = (): void => {
    tidyUp(core)
    callOffTidying = after(tidyEveryMs, keepTidy)
  }

  /** Waits until the read models have caught up; otherwise finished work would look undone. */
  const begin = (): void => {
    ready().then(
      () => {
        if (stopping.signal.aborted) return
        hasBegun = true
        for (const wakeSome of wakersOf(all)) core.onFolded(wakeSome)
        wake()
        core.sharedWork?.begin({ wake, cannot: () => kindsBeyond(work) })
        keepTidy()
        const machine = { machineNow: wallClock, elapsed: steadyTime }
        callOff = watchClock({ log, after, ...machine }).stop
        checkClock(log, core.store, core.now(), core.observeClock).catch(onFailure)
      },
      (error: unknown) => {
        // Without this check, a closed log would be retried forever.
        if (stopping.signal.aborted) return
        onFailure(error)
        callOff = after(retryAfterMs, begin)
      },
    )
  }

  return {
    begin,
    /** Whether the read models have caught up since the start. */
    hasBegun: (): boolean => hasBegun,
    /** Whether this process may do shared work of the kind. */
    mayDo: (kind: LeasedKind): boolean => !stopping.signal.aborted && mayDo(kind),
    settle: async (): Promise<void> => {
      for (const { settle, scheduled, lease } of all) {
        // Work that arrived a moment ago may be due too.
        await caughtUp()
        if (!settle) await scheduled.settle()
        // A stopping process has resigned, or is about to.
        else if (!stopping.signal.aborted && mayDo(lease)) await settle(stopping.signal)
      }
      await caughtUp()
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      callOff()
      callOffTidying()
      const stopped = all.map(({ scheduled }) => scheduled.stop())
      await Promise.all([...stopped, ...all.map(({ giveUp }) => giveUp?.())])
      await Promise.all(all.map(({ idle }) => idle?.()))
      await core.sharedWork?.end()
      sender.resign()
    },
  }
}
