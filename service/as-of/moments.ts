import { join } from 'node:path'
import { makeMoments, openMoments, type Held } from '../../audit/as-of/open-moments.ts'
import type { MomentRequest } from '../../audit/as-of/asked-moment.ts'
import { concurrencyLimit } from '../../application/concurrency-limit.ts'
import { DamagedEvent, StoreUnavailable, type Position } from '../../application/event-store.ts'
import { timeBudget } from '../../application/time-budget.ts'
import { refuse, Refusal } from '../../domain/refusal.ts'
import { type Instant, dayMs } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { reportOutage } from '../../infrastructure/logs/outages.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { momentFiles } from '../../audit/as-of/moment-files.ts'
import type { DueWork } from '../../application/schedule.ts'
import { clearTimeout, setTimeout, steadyTime } from '../../application/machine.ts'
import type { AsOfNeeds, Past } from '../../http/as-of.ts'
import { isRecord } from '../../http/validation.ts'
import { endingWith } from '../../http/text-stream.ts'
import { merchantInterface, type MerchantRouteNeeds } from '../routes.ts'

/** How long a request waits for a moment under construction, in ms. */
const usualWaitMs = 20_000

const askAgainSeconds = 5

/** Moments are built one at a time; requesters take turns. */
const turns = { concurrent: 1, maxWaiting: 64, maxWaitingPerKey: 8 }

/** Limits the build time per requester. */
const budget = { burstMs: 120_000, share: 0.2 }

const megabyte = 1_000_000

type PastNeeds = Pick<Core, 'store' | 'now' | 'caughtUp' | 'moments' | 'log' | 'beside'> & {
  readonly settings: Pick<Settings, 'DATA_DIR' | 'EVENT_STORE' | 'AS_OF_SPACE_MB'>
}

/** Logs a failure. It must not be mistaken for a failure of the current read models. */
const reporting = (log: Log, make: (end: Position) => Promise<number>) => {
  const { worked, failed } = reportOutage(
    log,
    'read models of earlier moments cannot be built: requests as of them get 503',
    'read models of earlier moments can be built again',
  )
  return async (end: Position): Promise<number> => {
    try {
      const events = await make(end)
      worked()
      return events
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof DamagedEvent) throw error
      failed(error)
      throw new StoreUnavailable('read models of earlier moments cannot be built', { cause: error })
    }
  }
}

export const limitedMaking = (
  make: (end: Position) => Promise<number>,
  elapsed: () => number = steadyTime,
) => {
  const refuseMore = () => refuse('moments_are_too_many', askAgainSeconds)
  const inTurn = concurrencyLimit(turns, { refuseMore })
  const { waitOf, spend } = timeBudget(budget, elapsed)
  return {
    make: async (end: Position, who: string): Promise<void> => {
      const wait = waitOf(who)
      if (wait > 0) return refuse('moments_are_too_many', wait)
      await inTurn(async () => {
        const since = elapsed()
        await make(end)
        spend(who, elapsed() - since)
      }, who)
    },
    keep: async (end: Position): Promise<void> => void (await inTurn(() => make(end))),
  }
}

/** @throws Refusal if it takes too long; the build continues */
const withinTime = (held: Promise<Held>, waitMs: number): Promise<Held> =>
  new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new Refusal('moment_is_being_made', askAgainSeconds))
    }, waitMs)
    const inTime = held.finally(() => clearTimeout(timer))
    inTime.then((result) => (isLate ? result.release() : resolve(result)), reject)
  })

const resolving = (core: Pick<PastNeeds, 'store' | 'now' | 'caughtUp' | 'moments'>) => {
  const check = async (request: MomentRequest): Promise<void> => {
    if ('position' in request) {
      if (request.position > (await core.store.head())) refuse('as_of_is_beyond_the_log')
    } else if (request.from > core.now()) refuse('as_of_is_in_the_future')
  }
  const positionOf = async (request: MomentRequest): Promise<Position> => {
    await check(request)
    if ('position' in request) return request.position
    await core.caughtUp()
    return core.moments.positionAt(request.until)
  }
  return { check, positionOf }
}

/** The read models as of earlier moments, built on demand and kept for a while. */
export const makePast = (core: PastNeeds, waitMs = usualWaitMs) => {
  const { DATA_DIR, EVENT_STORE, AS_OF_SPACE_MB } = core.settings
  const directory = join(DATA_DIR, 'as-of')
  const space = AS_OF_SPACE_MB * megabyte
  const files = momentFiles(directory, space)
  const start = { place: { DATA_DIR, EVENT_STORE }, directory, space }
  const making = makeMoments(core.beside, core.store, files, start)
  const makeNow = (end: Position) => making.make({ end, inUse: opened.inUse() })
  const { make, keep } = limitedMaking(reporting(core.log, makeNow))
  const opened = openMoments({ store: core.store, files, make })
  const { check, positionOf } = resolving(core)

  return {
    files,
    /** @throws Refusal if the moment lies in the future */
    check,
    /**
     * The state and time at the moment, until released. @throws Refusal if the moment lies in the
     * future, or `who` has requested too many
     */
    hold: async (request: MomentRequest, who: string): Promise<Held & { readonly at: Instant }> => {
      const now = core.now()
      const held = await withinTime(opened.hold(await positionOf(request), who), waitMs)
      const at = 'until' in request ? Math.min(request.until, now) : (held.moment.logTime ?? 0)
      return { ...held, at }
    },
    /** Builds the read models as of a position in advance. */
    keep,
    close: async (): Promise<void> => {
      await making.close()
      opened.close()
    },
  }
}

type PastMoments = ReturnType<typeof makePast>

/** Fewer events are folded so quickly that no file is kept. */
export const enough = 10_000

/** A start, and the switch from another process, have the processors for themselves first. */
const restAfterStartMs = 60_000

/**
 * Keeps the read models as of the end of each busy day (UTC), so that later queries fold only the
 * events since.
 */
export const keepDays = (
  { moments, tree }: Pick<Core, 'moments' | 'tree'>,
  { files, keep }: Pick<PastMoments, 'files' | 'keep'>,
  eventsWorthKeeping = enough,
  restMs = restAfterStartMs,
): DueWork => {
  let begun = -1
  let restsUntil: Instant | undefined
  return async (now) => {
    restsUntil ??= now + restMs
    if (now < restsUntil) return restsUntil
    if (begun < 0) files.removeOthers()
    const day = Math.floor(now / dayMs)
    if (day !== begun) {
      const end = moments.positionAt(day * dayMs - 1)
      const [nearest] = files.upTo(end)
      const count = (position: number): number => (tree.indexOf(position) ?? -1) + 1
      if (count(end) - count(nearest?.position ?? 0) >= eventsWorthKeeping) await keep(end)
      begun = day
    }
    return (day + 1) * dayMs
  }
}

type HeldMoment<Moment> = {
  readonly moment: Moment
  readonly at: Instant
  /** What to throw instead of an error of its files. */
  readonly failureOf: (error: unknown) => unknown
  readonly release: () => void
}

type KeptMoments<Moment> = {
  readonly check: (request: MomentRequest) => Promise<void>
  /** Until it is released. */
  readonly hold: (request: MomentRequest, who: string) => Promise<HeldMoment<Moment>>
}

/** Releases once the reply is there, or its stream has ended. */
const releasedAfter = <Answer>(reply: Answer, release: () => void): Answer => {
  const body = isRecord(reply) ? reply['body'] : undefined
  if (body instanceof ReadableStream) return { ...reply, body: endingWith(body, release) }
  release()
  return reply
}

/** The merchant interface over what was known at moments; each gets routes of its own. */
export const answersAsOf = <Moment extends object>(
  past: KeptMoments<Moment>,
  needsAt: (moment: Moment) => MerchantRouteNeeds,
): AsOfNeeds => {
  const known = new WeakMap<Moment, Past['routes']>()
  const routesAt = (moment: Moment): Past['routes'] => {
    const reading = merchantInterface(needsAt(moment)).filter(({ method }) => method === 'GET')
    const made = new Map(reading.map((route) => [route.path, route]))
    known.set(moment, made)
    return made
  }
  return {
    checkMoment: past.check,
    answerAsOf: async (request, who, answer) => {
      const { moment, at, failureOf, release } = await past.hold(request, who)
      try {
        const routes = known.get(moment) ?? routesAt(moment)
        return releasedAfter(await answer({ at, routes }), release)
      } catch (error) {
        release()
        throw failureOf(error)
      }
    },
  }
}
