import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { deliverCallbacks } from '../application/deliver-callbacks.ts'
import { StoreUnavailable } from '../application/event-store.ts'
import { expirePayments, expirePermissions } from '../application/expire-requests.ts'
import { schedule, type DueWork } from '../application/schedule.ts'
import { runAccounting } from './accounting.ts'
import { checkClock, watchClock } from './clock-watch.ts'
import type { Core } from './core.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings.ts'
import { soleProcess } from './sole-process.ts'

const retryAfterMs = 1000
/** How long events gather before what is due because of them is looked for. */
const gatherMs = 20
/** How often a process asks whether it is to tell others what has happened, when another one of its directory does. */
const standInEveryMs = 1000

const after = (milliseconds: number, wake: () => void) => {
  const timer = setTimeout(wake, milliseconds)
  return () => clearTimeout(timer)
}

type Needs = {
  readonly core: Core
  readonly settings: Settings
  readonly log: Log
  readonly matchScans: DueWork
  /** Absent when the funding source holds no money. */
  readonly informFunding?: DueWork | undefined
  readonly sendCallback: Parameters<typeof deliverCallbacks>[0]['send']
}

/** What works beside the requests: expiry, accounting, the matching of scans, callbacks, what funding has to know. */
export const makeProcesses = (needs: Needs) => {
  const { core, settings, log, matchScans, sendCallback } = needs
  const { handle, find, now, readModels } = core
  const { caughtUp } = readModels
  const onFailure = (error: unknown): void => {
    core.noteDamage(error)
    // That the store is away is told once, by whoever watches it.
    const level = error instanceof StoreUnavailable ? 'debug' : 'error'
    log[level]({ error }, 'a process failed; it will try again')
  }
  const scheduling = { now, after, onFailure }

  const expiries = [
    expirePayments({
      handle,
      rows: core.payments.payments,
      newId: randomUUID,
      outageOf: core.outagesOf('expiring payment'),
    }),
    expirePermissions({
      handle,
      rows: core.people.permissions,
      newId: randomUUID,
      outageOf: core.outagesOf('expiring permission request'),
    }),
  ].map((expire) => schedule(scheduling, (at, stopped) => expire(at, caughtUp, stopped)))

  const accounting = runAccounting(core, settings, scheduling)
  const matching = schedule(scheduling, matchScans)

  // Only one process of a directory tells merchants and the funding source: otherwise each would tell everything.
  const telling = soleProcess(join(settings.DATA_DIR, 'telling.lock'))
  const byOneProcess = (work: DueWork): DueWork => {
    let isCaughtUp = false
    return async (at, stopped) => {
      if (!telling.isOurs()) return at + standInEveryMs
      // What the process before this one has told must be known here first, or it would be told again.
      if (!isCaughtUp) await caughtUp()
      isCaughtUp = true
      return work(at, stopped)
    }
  }

  const delivery = deliverCallbacks({
    queue: core.callbacks.queue,
    handle,
    find,
    recall: core.recall,
    caughtUp,
    send: sendCallback,
    now,
    newId: randomUUID,
    random: Math.random,
    onEnd: () => sending.wake(),
    onFailure,
  })
  const sending = schedule(scheduling, byOneProcess(delivery.work))
  const funding = needs.informFunding && schedule(scheduling, byOneProcess(needs.informFunding))

  let isWakeDue = false
  /** Has the processes look soon, however many events ask for it. */
  const wakeSoon = (): void => {
    if (isWakeDue) return
    isWakeDue = true
    after(gatherMs, () => {
      isWakeDue = false
      for (const expiry of expiries) expiry.wake()
      matching.wake()
      accounting.wake()
      sending.wake()
      funding?.wake()
    })
  }

  /** What cannot be removed is in nobody's way: a later start tries again. */
  const tidyUp = (): void => {
    try {
      core.removeOutdatedReadModels()
    } catch (error) {
      log.warn({ error }, 'read models of another version could not be removed')
    }
  }

  let hasBegun = false
  const stopping = new AbortController()
  let callOffBegin = () => {}
  const machine = { machineNow: Date.now, elapsed: () => performance.now() }
  let stopWatching = () => {}
  /** Begins to expire and to deliver once the read models are where the log is: what they lack would look undone. */
  const begin = (): void => {
    readModels.ready().then(
      () => {
        if (stopping.signal.aborted) return
        hasBegun = true
        core.onFolded(wakeSoon)
        wakeSoon()
        tidyUp()
        stopWatching = watchClock({ log, after, ...machine }).stop
        checkClock(log, core.store, now()).catch(onFailure)
      },
      (error: unknown) => {
        // The log may be closed by now, and would be asked for ever.
        if (stopping.signal.aborted) return
        onFailure(error)
        callOffBegin = after(retryAfterMs, begin)
      },
    )
  }

  return {
    accounting,
    begin,
    /** Whether the read models have been where the log is since the service was started. */
    hasBegun: (): boolean => hasBegun,
    /** Does all that is due by now, and waits for it. */
    settle: async (): Promise<void> => {
      // What came a moment ago may be due too.
      await caughtUp()
      await Promise.all(expiries.map((expiry) => expiry.settle()))
      await caughtUp()
      await accounting.settle()
      await matching.settle()
      await caughtUp()
      // Whoever stops has resigned, or is about to.
      if (!stopping.signal.aborted && telling.isOurs()) await delivery.settle(stopping.signal)
      await funding?.settle()
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      callOffBegin()
      stopWatching()
      const schedules = [...expiries, accounting, matching, sending, funding]
      await Promise.all(schedules.map((schedule) => schedule?.stop()))
      await delivery.idle()
      telling.resign()
    },
  }
}

export type Processes = ReturnType<typeof makeProcesses>
