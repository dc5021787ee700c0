import { randomUUID } from 'node:crypto'
import { makeHandler } from '../../application/handle.ts'
import { countEvents } from './event-counts.ts'
import { type Log, logChecksums } from '../logs/log.ts'
import { useOf, writeAt } from '../logs/outages.ts'
import { watchFreshness } from './freshness.ts'
import { openRefusals } from '../logs/refusals.ts'
import { openSecurityLogIn, recordChanges } from '../logs/security-changes.ts'
import { openClock } from './service-clock.ts'
import type { Settings } from '../settings.ts'
import { logFileIn, openStore, type Place } from '../stores.ts'
import { waitingStore } from './waiting-store.ts'
import { numberedFrom, timedUuid } from './event-ids.ts'
import type { Committing } from './sqlite-event-log.ts'
import { watchStore } from './watched-store.ts'
import { getHeapStatistics } from 'node:v8'
import { cachedPayments, type CacheLimits } from '../../application/generational-cache.ts'

/** Two generations of states and two of outcomes: an eighth of the heap in total. */
const share = 1 / 32

/** Limits of the caches of folded streams, by heap size. */
export const cacheLimitsInHeap = (): CacheLimits => ({
  streams: cachedPayments,
  bytes: Math.floor(getHeapStatistics().heap_size_limit * share),
})

/** The log, with the functions that read and change its streams. */
export const openLog = async (
  settings: Settings & Place,
  log: Log,
  committing: Committing,
  isAlone?: () => boolean,
) => {
  const opened = await openStore(settings, committing, isAlone, (events) =>
    logChecksums(log, events),
  )
  const from = await opened.head()
  const { countingOf, text } = countEvents()
  const { store: waiting, ...beside } = waitingStore(
    watchStore(opened, log, undefined, opened.log && writeAt(logFileIn(settings))),
  )
  const freshness = watchFreshness(countingOf(waiting), from)
  const { store } = freshness
  const securityLog = openSecurityLogIn(settings, log)
  const handler = makeHandler({
    store,
    eventId: (stream, revision, commandId, at) =>
      timedUuid(`${stream}/${revision}/${commandId}`, at),
    commandId: numberedFrom(randomUUID()),
    cacheLimits: cacheLimitsInHeap(),
    from,
    machineNow: Date.now,
    onAppended: recordChanges(securityLog),
  })
  const clock = await openClock(handler, settings.operator)
  const refusals = openRefusals({
    directory: settings.DATA_DIR,
    revisionOf: handler.revisionOf,
    now: clock.now,
    machineNow: Date.now,
    use: useOf(log, 'the file of refusals', 'written'),
  })
  const { streams, end, beginEnding = () => {} } = opened
  const of = {
    end,
    beginEnding,
    shareWriter: opened.log?.shareWriter,
    store,
    streams,
    ...beside,
    freshness,
    from,
    eventCounts: text,
    securityLog,
    refusals,
  }
  return { ...handler, ...clock, ...of }
}

export type OpenLog = Awaited<ReturnType<typeof openLog>>
