import { makeHandler, type Context, type Handle } from '../../application/handle.ts'
import { type Log, logChecksums } from '../logs/log.ts'
import { useOf, writeAt, reportingTo, type Probe } from '../logs/outages.ts'
import { watchFreshness } from './freshness.ts'
import { openRefusals } from '../logs/refusals.ts'
import { openMerchantRequests } from '../logs/merchant-requests.ts'
import { openSecurityLogIn, recordChanges } from '../logs/security-changes.ts'
import { openClock } from './service-clock.ts'
import type { Settings } from '../settings.ts'
import { logFileIn, openStore, type Place, checkInstallation } from '../stores.ts'
import { numberedFrom, timedUuid } from './event-entry.ts'
import type { Pace } from './sqlite-event-file.ts'
import type { Committing } from './sqlite-event-log.ts'
import { getHeapStatistics } from 'node:v8'
import { cachedPayments, type CacheLimits } from '../../application/generational-cache.ts'
import type { Commit, EventStore, NewEvent } from '../../application/event-store.ts'
import {
  counterBy,
  histogramsBy,
  quickSeconds,
  single,
  type Samples,
} from '../../application/measures.ts'
import { categoryOf } from '../../domain/stream.ts'
import { startSpanWithin, type Traceparent } from '../../application/tracing.ts'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'
import type { Find } from '../../application/find-state.ts'
import { installations } from '../../domain/aggregates.ts'
import { gateOf } from './newer-kinds.ts'
import { randomBytes, randomUUID, steadyTime, wallClock } from '../../application/machine.ts'

type Needs = {
  readonly find: Find
  readonly handle: Handle
  readonly context: Context
  readonly store: Pick<EventStore, 'readStream'>
}

export const openInstallation = async (
  { find, handle, context, store }: Needs,
  { needsLog }: Pick<Place, 'needsLog'>,
) => {
  // Trying to append first would wait for the writer thread.
  const found = await find(installations, 'daybook')
  if (found.key !== null) return found
  if (needsLog) await checkInstallation(store)
  const command = { type: 'MakeInstallation', key: randomBytes(32).toString('base64') } as const
  return (await handle(installations, 'daybook', command, context)).state
}

/** The counter for each event of a payment, and its `outcome`; null if it is not counted. */
const counters = {
  PaymentRequested: ['daybook_payment_requests_total'],
  PaymentAuthorized: ['daybook_payments_total', 'authorized'],
  PaymentDeclined: ['daybook_payments_total', 'declined'],
  PaymentFailed: ['daybook_payments_total', 'failed'],
  PaymentAborted: ['daybook_payments_total', 'aborted'],
  PaymentExpired: ['daybook_payments_total', 'expired'],
  PaymentAuthorizationExpired: ['daybook_payments_total', 'authorization_expired'],
  PaymentCaptured: ['daybook_captures_total'],
  PaymentReleased: ['daybook_releases_total'],
  PaymentRefunded: ['daybook_refunds_total'],
  PaymentDisputed: ['daybook_disputes_total', 'opened'],
  PaymentDisputeWon: ['daybook_disputes_total', 'won'],
  PaymentDisputeLost: ['daybook_disputes_total', 'lost'],
  PaymentEvidenceSent: null,
  PaymentPickedUp: null,
  PaymentAmended: null,
  PaymentRenewed: null,
} as const satisfies Readonly<Record<PaymentEvent['type'], readonly string[] | null>>

type Series = NonNullable<(typeof counters)[PaymentEvent['type']]>

const counted: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(counters).flatMap(([type, series]) => (series === null ? [] : [[type, series]])),
)

const metrics = [
  'daybook_payment_requests_total',
  'daybook_payments_total',
  'daybook_captures_total',
  'daybook_releases_total',
  'daybook_refunds_total',
  'daybook_disputes_total',
] as const satisfies readonly Series[0][]

/**
 * The same store, with appended events counted for Prometheus. A library's counter would cost more
 * than a decision.
 */
const countEvents = <Store extends EventStore>(store: Store, merchants: ReadonlySet<unknown>) => {
  const counts = new Map([...counted.keys()].map((type) => [type, 0]))

  const ofMerchants = counterBy('merchant', 'event')

  const count = (events: readonly NewEvent[]): void => {
    for (const { type, metadata } of events) {
      const before = counts.get(type)
      if (before === undefined) continue
      counts.set(type, before + 1)
      const { merchant } = metadata
      if (merchants.has(merchant)) ofMerchants.count([String(merchant), type])
    }
  }
  const counting: Store = {
    ...store,
    append: async (...what) => {
      const appended = await store.append(...what)
      count(what[1])
      return appended
    },
  }

  return {
    store: counting,
    metrics: () => {
      const samples = (name: string) => (): Samples =>
        [...counts].flatMap(([type, value]) => {
          const [own, outcome] = counted.get(type) ?? []
          return own === name ? single(value, outcome === undefined ? {} : { outcome }) : []
        })
      return {
        ...(Object.fromEntries(metrics.map((name) => [name, samples(name)])) as Record<
          (typeof metrics)[number],
          () => Samples
        >),
        daybook_merchant_payment_events_total: ofMerchants.samples,
      }
    },
  }
}

/** The commit is the last part of the append. */
const traceCommit = (parent: Traceparent, { milliseconds, appends }: Commit): void =>
  startSpanWithin(parent, () => ({
    name: 'commit',
    kind: 'internal',
    since: steadyTime() - milliseconds,
    attributes: { 'daybook.commit.appends': appends },
  }))?.end()

/**
 * Names the request of each event as EventStoreDB's projection `$by_correlation_id` wants it. Only
 * what is new: a log that is copied keeps its bytes, and so its root.
 */
export const correlating = <Store extends Pick<EventStore, 'append'>>(store: Store): Store => ({
  ...store,
  append: (stream, events, ...how) => {
    const named = events.map((event) => {
      const { correlationId: $correlationId } = event.metadata
      return { ...event, metadata: { ...event.metadata, $correlationId } }
    })
    return store.append(stream, named, ...how)
  },
})

/** A span for each append of a trace, with the wait for the commit that it shares. */
const traceAppends = <Store extends EventStore>(store: Store, system: string): Store => ({
  ...store,
  append: async (...what) => {
    const [stream, [first, ...others]] = what
    const parent = first?.metadata['traceparent'] as Traceparent | undefined
    const category = categoryOf(stream)
    const span = startSpanWithin(parent, () => ({
      name: `append ${category}`,
      kind: 'client',
      attributes: {
        'db.system.name': system,
        'db.operation.name': 'append',
        'db.collection.name': category,
        'db.operation.batch.size': others.length > 0 ? others.length + 1 : undefined,
        'daybook.stream': stream,
      },
    }))
    if (!span) return store.append(...what)
    try {
      const appended = await store.append(...what)
      const { commit } = appended
      if (commit) traceCommit(span.traceparent, commit)
      span.end()
      return appended
    } catch (error) {
      span.end({}, error instanceof Error ? error.name : 'unknown')
      throw error
    }
  },
})

type WatchedStore = EventStore & {
  /** False while the store is known to be unavailable, or if an append failed recently. */
  readonly canBeWritten: () => boolean
  /** Why not, or why it cannot be read. */
  readonly failure: () => unknown
}

/** Measures how long something takes, in seconds, also if it fails. */
const timing =
  ({ observe }: ReturnType<typeof histogramsBy>) =>
  <Answer>(operation: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const begun = steadyTime()
    const done = (): void => observe(operation, (steadyTime() - begun) / 1_000)
    const answer = ask()
    answer.then(done, done)
    return answer
  }

/** The same store, with outages logged; requests get no details of them. */
export const watchStore = (
  store: EventStore & Partial<Pick<WatchedStore, 'canBeWritten' | 'failure'>>,
  log: Log,
  elapsed?: () => number,
  probe?: Probe,
  times = histogramsBy('operation', quickSeconds),
): WatchedStore => {
  const timed = timing(times)
  const use = (done: string, probe?: Probe) => useOf(log, 'the log of events', done, elapsed, probe)
  const [writing, reading, following] = [use('written', probe), use('read'), use('followed')]
  return {
    ...store,
    append: (...what) => timed('append', () => reportingTo(writing, store.append(...what))),
    readStream: (...about) =>
      timed('read_stream', () => reportingTo(reading, store.readStream(...about))),
    head: () => timed('head', () => reportingTo(reading, store.head())),
    follow: (after, signal) => store.follow(after, signal, following),
    canBeWritten: store.canBeWritten ?? writing.works,
    failure: () => (store.failure ?? writing.failure)() ?? reading.failure(),
  }
}

/**
 * The same store, but a reader also waits until this process knows as much of what is stored beside
 * the log.
 */
const waitingStore = <Store extends EventStore>(store: Store) => {
  let besideCaughtUp: (() => Promise<void>) | undefined

  const both = <Answer>(reply: Promise<Answer>): Promise<Answer> =>
    besideCaughtUp ? Promise.all([reply, besideCaughtUp()]).then(([answer]) => answer) : reply

  const waiting: Store = {
    ...store,
    head: () => both(store.head()),
    readStream: (...about) => both(store.readStream(...about)),
  }
  return {
    store: waiting,
    /** For observers, which receive events without reading. */
    besideCaughtUp: async (): Promise<void> => besideCaughtUp?.(),
    waitFor: (caughtUp: () => Promise<void>): void => void (besideCaughtUp = caughtUp),
  }
}

/** Two generations of states and two of outcomes: an eighth of the heap in total. */
const share = 1 / 32

export const cacheLimitsInHeap = (): CacheLimits => ({
  streams: cachedPayments,
  bytes: Math.floor(getHeapStatistics().heap_size_limit * share),
})

/** Groups of appends are the affair of a file. */
const none = (): Samples => []

/**
 * The log of a service, with its caches.
 * Long because each store wraps the one before it.
 */
export const openLog = async (
  settings: Settings & Place,
  log: Log,
  committing: Committing,
  isAlone?: () => boolean,
  pace?: Pace,
) => {
  const onChecksums = (events: number): void => logChecksums(log, events)
  const opened = await openStore(settings, committing, isAlone, { onChecksums, pace })
  const from = await opened.head()
  // Each store wraps the one before it.
  const probe = opened.log && writeAt(logFileIn(settings))
  const times = histogramsBy('operation', quickSeconds)
  const watched = watchStore(opened, log, undefined, probe, times)
  const waiting = waitingStore(watched)
  const gate = gateOf(waiting.store)
  const system = opened.log ? 'sqlite' : 'eventstoredb'
  const written = opened.log ? gate.store : correlating(gate.store)
  const traced = traceAppends(written, system)
  const counting = countEvents(traced, new Set(settings.METRICS_MERCHANTS))
  const freshness = watchFreshness(counting.store, from)
  const { store } = freshness

  const securityLog = openSecurityLogIn(settings, log)
  const { handle, find, recall, revisionOf, observe } = makeHandler({
    store,
    eventId: (stream, revision, commandId, at) =>
      timedUuid(`${stream}/${revision}/${commandId}`, at),
    commandId: numberedFrom(randomUUID()),
    cacheLimits: cacheLimitsInHeap(),
    from,
    machineNow: wallClock,
    onAppended: recordChanges(securityLog),
  })
  const clock = await openClock({ find, handle }, settings.operator)
  const refusals = openRefusals({
    directory: settings.DATA_DIR,
    revisionOf,
    now: clock.now,
    machineNow: wallClock,
    use: useOf(log, 'the file of refusals', 'written'),
  })
  const merchantRequests = openMerchantRequests({
    directory: settings.DATA_DIR,
    now: clock.now,
    machineNow: wallClock,
    use: useOf(log, 'the files of requests', 'written'),
  })
  return {
    store,
    from,
    end: opened.end,
    streams: opened.streams,
    shareWriter: opened.log?.shareWriter,
    beginEnding: opened.beginEnding ?? (() => {}),
    besideCaughtUp: waiting.besideCaughtUp,
    waitFor: waiting.waitFor,
    limitKinds: gate.limitKinds,
    freshness,
    paymentCounts: counting.metrics,
    measures: { store: times, commits: opened.log?.commits ?? { seconds: none, events: none } },
    handle,
    find,
    recall,
    revisionOf,
    /** In a thread that keeps pace with another, what is told of the log is not told again. */
    observers: [observe, pace ? clock.observeMoves : clock.observeClock, freshness.observe],
    observed: freshness.observed,
    clock,
    securityLog,
    refusals,
    merchantRequests,
  }
}
