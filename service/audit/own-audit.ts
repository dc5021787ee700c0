import type { Position } from '../../application/event-store.ts'
import type { Instant } from '../../domain/time.ts'
import type { Work } from '../background-work.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import type { Place } from '../../infrastructure/stores.ts'
import type { Where } from '../../infrastructure/worker.ts'
import { lastAuditIn } from '../../audit/verify/last-audit.ts'
import { auditInline, auditInWorker } from '../../audit/verify/verify-in-workers.ts'
import { auditOf } from '../../audit/verify/verify-log.ts'
import { wallClock } from '../../application/machine.ts'

const minuteMs = 60_000
/** Delay after the start of a service that was never audited. */
const firstAfterMs = 10 * minuteMs
/** Delay after an incomplete audit. */
const againAfterMs = 10 * minuteMs
/**
 * How often it checks whether an audit is due, by the machine's clock, which the sandbox does not
 * move.
 */
const lookEveryMs = minuteMs / 2

type Needs = {
  readonly settings: Place & Pick<Settings, 'AUDIT_EVERY_MINUTES' | 'WITNESSES'>
  readonly log: Pick<Log, 'info' | 'error'>
  readonly store: { readonly head: () => Promise<Position> }
  readonly beside: Where
}

/**
 * Limits how often it checks, because work is woken many times a second. Handles a clock set back.
 */
const looking = (machineNow: () => Instant) => {
  let lookedAt = -Infinity
  return (): boolean => {
    const at = machineNow()
    if (Math.abs(at - lookedAt) < lookEveryMs) return false
    lookedAt = at
    return true
  }
}

/** A service's audit of its own log, slowly and in the background. */
export const ownAudit = (needs: Needs, machineNow: () => Instant = wallClock) => {
  const { settings, log, store } = needs
  const audit = needs.beside === 'inline' ? auditInline : auditInWorker
  const { EVENT_STORE, DATA_DIR, AUDIT_EVERY_MINUTES } = settings
  const place = { EVENT_STORE, DATA_DIR }
  const everyMs = AUDIT_EVERY_MINUTES * minuteMs
  const last = lastAuditIn(DATA_DIR)
  const mayLook = looking(machineNow)
  let notBefore = machineNow() + Math.min(everyMs, firstAfterMs)
  let running: Promise<void> | undefined
  let stop: () => void = () => {}

  const perform = async (): Promise<void> => {
    const end = await store.head()
    const parts = ['log', 'readModels'] as const
    const isSlow = needs.beside === 'worker'
    const options = { ...last.since(), keys: settings.WITNESSES.map(({ key }) => key) }
    const thread = audit({ place, parts, end, options, isSlow }, () => {})
    stop = () => void thread.stop()
    const found = await thread.found
    if (!found.log || !found.readModels) throw new Error('a part of the audit is missing')
    const { holds, position, problem } = last.write(
      auditOf(end, found.log, found.readModels),
      machineNow(),
    )
    if (holds) log.info({ position }, 'the audit holds: nothing is wrong with the log')
    else log.error({ position, problem }, `the audit does not hold: ${problem?.text}`)
  }

  const begin = (stopped: AbortSignal): void => {
    running = perform()
      .catch((error: unknown) => {
        notBefore = machineNow() + againAfterMs
        if (!stopped.aborted) log.error({ error }, 'the audit could not be finished')
      })
      .finally(() => (running = undefined))
  }

  const dueAt = (): Instant => Math.max(notBefore, (last.read()?.at ?? -Infinity) + everyMs)

  const work: Work = {
    name: 'audit',
    // One process per directory is enough.
    sendsMessages: true,
    due: async (now, stopped) => {
      if (everyMs === 0) return null
      if (!running && mayLook() && machineNow() >= dueAt()) begin(stopped)
      return now + lookEveryMs
    },
    giveUp: async () => stop(),
    idle: async () => running,
  }

  return {
    work: [work],
    /** Undefined before the first audit. */
    last: last.read,
  }
}
