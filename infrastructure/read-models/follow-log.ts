import { makeFeeBook } from '../../application/fee-book.ts'
import {
  type EventStore,
  type Position,
  start as beginning,
} from '../../application/event-store.ts'
import type { Find } from '../../application/find-state.ts'
import { queriesOf } from '../../projections/read-models.ts'
import type { KnownEnd } from '../event-store/eventstoredb-head.ts'
import type { Log } from '../logs/log.ts'
import { reportOutage } from '../logs/outages.ts'
import { openReadModels, type Place } from '../stores.ts'
import { type Where, hear, startWorker } from '../worker.ts'
import type { PartialTraceSettings } from '../traces/traces.ts'
import { foldInline, type StartFolding } from './folding.ts'
import { readLogTree } from './tree-fold.ts'
import { watchDamage } from './read-model-file.ts'
import { runReadModels, type OnEvents, type OnFolded, type ReadModels } from './read-models.ts'
import { makeReportBook } from './report-book.ts'
import type { Worker } from 'node:worker_threads'
import { errorOf } from '../threads/job-thread.ts'
import type { FoldingReply, FoldingRequest, FoldingStart } from './folding-worker.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

const retryAfterMs = 1000

/** In megabytes. Events and rows of a batch are short-lived garbage. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 }

/** Folds in a worker thread, so that requests are answered meanwhile. */
export const foldInWorker =
  (settings: Place & PartialTraceSettings, readModels: string): StartFolding =>
  ({ onMoved, onFailure, relay, from = beginning }) => {
    let isStopped = false
    let cancelStart = (): void => {}
    let thread: Worker | undefined
    /** One `hurry` is enough until the read models have moved. */
    let isHurried = false

    const send = (request: FoldingRequest): void => thread?.postMessage(request)

    const start = (): void => {
      const { EVENT_STORE, DATA_DIR } = settings
      const place = { EVENT_STORE, DATA_DIR }
      const workerData: FoldingStart = { place, readModels, relayFrom: from, traces: settings }
      const started = startWorker('infrastructure/read-models/folding-worker', {
        workerData,
        resourceLimits,
      })
      hear(started, (reply: FoldingReply) => {
        if ('relayed' in reply) return relay?.note(reply.relayed)
        isHurried = false
        if ('position' in reply) onMoved(reply.position)
        else onFailure(errorOf(reply))
      })
      started.on('error', onFailure)
      started.on('exit', () => {
        thread = undefined
        isHurried = false
        relay?.lost()
        if (isStopped) return
        onFailure(new Error('the thread that folds the log has ended'))
        const timer = setTimeout(start, retryAfterMs)
        cancelStart = () => clearTimeout(timer)
      })
      thread = started
    }
    start()

    return {
      hurry: () => {
        if (isHurried) return
        isHurried = true
        send('hurry')
      },
      stop: async () => {
        isStopped = true
        cancelStart()
        const last = thread
        if (!last) return
        send('stop')
        await new Promise<void>((resolve) => last.once('exit', () => resolve()))
      },
    }
  }

type Needs = {
  readonly store: EventStore
  readonly find: Find
  readonly from: Position
  readonly end?: KnownEnd | undefined
  /** Resolves when everything observers need besides the log is known. */
  readonly besideCaughtUp: () => Promise<void>
  /** Receive all new events, before they are folded. */
  readonly observers: readonly OnEvents[]
  readonly folding?: StartFolding | undefined
}

/** Opens the read models and folds the log into them. Caches terms and open reports. */
export const followLog = async (
  needs: Needs,
  place: Place & PartialTraceSettings,
  log: Log,
  beside: Where,
) => {
  const { store, from, find, end } = needs
  const file = await openReadModels(place, store, (foldedTo) =>
    log.warn(
      { foldedTo, head: from },
      'the log lacks this event at the position in the read models: they are rebuilt',
    ),
  )
  const { name } = file.sqlite
  const queries = queriesOf(file.db)
  const { observe: observeFees, ...terms } = makeFeeBook({ find })
  const reportBook = makeReportBook({
    reports: queries.accounting.reports,
    reached: (position) => readModels.reached(position),
    position: () => readModels.position(),
    from,
  })
  const observers = new Set([...needs.observers, observeFees, reportBook.observe])
  const listeners = new Set<OnFolded>()
  const following = reportOutage(
    log,
    'the read models cannot follow the log',
    'the read models follow the log again',
  )
  const readModels: ReadModels = runReadModels({
    store,
    startFolding:
      needs.folding ??
      (beside === 'inline' ? foldInline({ store, file }) : foldInWorker(place, name)),
    from,
    noteEnd: end?.note,
    foldedEvents: readLogTree(file).size,
    besideCaughtUp: needs.besideCaughtUp,
    onEvents: (events) => observers.forEach((observe) => observe(events)),
    onFolded: (streams) => {
      following.worked()
      for (const listener of listeners) listener(streams)
    },
    onFailure: following.failed,
  })
  return {
    file,
    queries,
    terms,
    reportBook,
    readModels,
    damage: watchDamage(name),
    onFolded: (listener: OnFolded) => listeners.add(listener),
    /** New events of all processes, before they are folded. */
    onEvents: (observe: OnEvents) => observers.add(observe),
  }
}
