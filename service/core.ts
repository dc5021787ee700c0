import type { MessagePort } from 'node:worker_threads'
import { watchBlobs } from '../infrastructure/blobs/blob-directory.ts'
import { isBucket, openBlobs } from '../infrastructure/blobs/blobs.ts'
import { checkParts } from './people/bound-parts.ts'
import { deriveIds, makeDigest } from '../infrastructure/event-store/event-entry.ts'
import { openLog, openInstallation } from '../infrastructure/event-store/open-log.ts'
import { watchSeen } from '../infrastructure/event-store/seen-events.ts'
import { shareWork, unsharedWork } from '../infrastructure/leases/leases.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { failuresOf, outagesIn, textOf, usesOf, writeAt } from '../infrastructure/logs/outages.ts'
import { openPeople } from './people/open-people.ts'
import type { Folded } from '../infrastructure/read-models/folding.ts'
import { followLog } from '../infrastructure/read-models/follow-log.ts'
import { readLogTree } from '../infrastructure/read-models/tree-fold.ts'
import { readMoments } from '../infrastructure/read-models/moment-fold.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { eventLevel } from '../domain/event-level.ts'
import { blobsIn, isVaultInStreams, seenIn, vaultIn, type Place } from '../infrastructure/stores.ts'
import { recordTraces } from '../infrastructure/traces/traces.ts'
import type { Where } from '../infrastructure/worker.ts'
import { randomUUID } from '../application/machine.ts'

/** Available in a running service, but not in a command. */
export type Surroundings = {
  readonly beside?: Where
  /** Commits appends in another thread of this process. */
  readonly writer?: MessagePort
  readonly isAlone?: () => boolean
  /** By default it is folded inline or in a worker thread. */
  readonly folded?: Folded | undefined
  /** The level of events that the process which this one replaces reads, while it is alive. */
  readonly olderReads?: (() => number) | undefined
  /** The service's address, once it is known. */
  readonly address?: () => string
}

/** The folder or bucket of blobs, and the uses that its outages are told by. */
const openOwnBlobs = async (settings: Settings & Place, log: Log) => {
  const place = blobsIn(settings)
  const blobs = await openBlobs(place, settings)
  const uses = usesOf(log, 'the folder of blobs', isBucket(place) ? undefined : writeAt(place))
  return { stored: blobs, blobs: watchBlobs(blobs, uses), failure: uses.failure }
}

const usesOfVault = (settings: Settings & Place, log: Log) =>
  usesOf(log, 'the vault', isVaultInStreams(settings) ? undefined : writeAt(vaultIn(settings)))

/**
 * Everything that the service's threads and the operator's command share. The log is written and
 * folded in this thread, or in others if requests must not wait for it.
 * Long because it is the list of what they share.
 */
export const openCore = async (
  settings: Settings & Place,
  log: Log,
  { beside = 'inline', writer, isAlone, address, folded, olderReads }: Surroundings = {},
) => {
  const { HOST, PORT, PUBLIC_URL, acceptsLoss } = settings
  // Commands begin no traces.
  const endTraces = address && (await recordTraces(settings, log, beside))
  const events = await openLog(settings, log, writer ?? beside, isAlone, folded?.pace)
  const { store, from, streams, handle, find, clock } = events
  const context = clock.contextOf('daybook')
  const { key, ids } = await openInstallation({ find, handle, context, store }, settings)
  const digest = makeDigest(key ?? '')
  const { stored, blobs, failure: blobFailure } = await openOwnBlobs(settings, log)
  const { end, observers, besideCaughtUp } = events
  const { folding } = folded ?? {}
  const following = { store, find, from, end, besideCaughtUp, observers, folding }
  const reads = await followLog(following, settings, log, beside)
  const { file, queries, terms, readModels, damage } = reads
  const { caughtUp } = readModels
  const sharedWork = streams && shareWork({ store: streams, handle, log, caughtUp })
  const lowest = [sharedWork?.lowestRead, olderReads, () => eventLevel].filter((one) => !!one)
  events.limitKinds(() => Math.min(...lowest.map((read) => read())))
  const uses = usesOfVault(settings, log)
  const people = await openPeople(
    { find, handle, context, streams, queries, caughtUp, uses },
    settings,
  )
  const { vault, derive, tokens, findScan, payerDirectory, used } = people
  if (isVaultInStreams(settings)) events.waitFor(vault.caughtUp)
  events.refusals.sealWith(vault.secret('refusals'))
  events.merchantRequests.sealWith(vault.secret('refusals'))
  // A thread of the service begins after the service, which has checked them.
  if (!folding) await checkParts({ store, vault, blobs: stored }, settings)
  const seen = await watchSeen(store, seenIn(settings), acceptsLoss)
  if (!folding) reads.onEvents(seen.observe)

  return {
    settings,
    log,
    beside,
    publicUrl: () => PUBLIC_URL ?? address?.() ?? `http://${HOST}:${PORT}`,
    newId: randomUUID,
    digest,
    // The log, and decisions on it.
    store,
    handle,
    find,
    recall: events.recall,
    revisionOf: events.revisionOf,
    shareWriter: events.shareWriter,
    beginEnding: events.beginEnding,
    paymentCounts: events.paymentCounts,
    measures: events.measures,
    now: clock.now,
    contextOf: clock.contextOf,
    machineTime: clock.machineTime,
    readClock: clock.readClock,
    observeClock: clock.observeClock,
    clockBehindMs: clock.behindMs,
    advanceClock: clock.advanceClock,
    tidOf: deriveIds(digest, ids, 'tid'),
    ridOf: deriveIds(digest, ids, 'rid'),
    /** The store, if nodes share the log. */
    streams,
    /** Work shared with other nodes; undefined if the log is a file. */
    sharedWork,
    shares: sharedWork?.shares ?? unsharedWork(handle),
    // What is folded from the log.
    readModels,
    caughtUp,
    /** In a thread that keeps pace with another: until it knows what is acknowledged by now. */
    observedAll: async (): Promise<void> => {
      const head = await store.head()
      folded?.pace.to(head)
      await events.observed(head)
    },
    freshness: events.freshness.over(readModels),
    onFolded: reads.onFolded,
    onEvents: reads.onEvents,
    readModelFile: file.sqlite.name,
    removeOutdatedReadModels: file.removeOthers,
    payments: queries.payments,
    accounting: queries.accounting,
    merchants: queries.merchants,
    people: queries.people,
    callbacks: queries.callbacks,
    transparency: queries.transparency,
    audit: queries.audit,
    findTerms: terms.findTerms,
    findAllTerms: terms.findAllTerms,
    reportHolding: reads.reportBook.holding,
    tree: readLogTree(file),
    moments: readMoments(file),
    // People, and what is stored beside the log.
    vault,
    derive,
    tokens,
    findScan,
    payerDirectory,
    used,
    blobs,
    // What is told of requests and failures.
    securityLog: events.securityLog,
    refusals: events.refusals,
    merchantRequests: events.merchantRequests,
    noteDamage: damage.noteDamage,
    isDamaged: damage.isDamaged,
    outagesOf: outagesIn(log, damage.noteDamage),
    /** The dependencies of requests that failed recently. */
    failures: () =>
      failuresOf({
        log: store.canBeWritten() ? undefined : store.failure(),
        vault: uses.failure(),
        blobs: blobFailure(),
      }),
    whyNotRead: () => textOf(store.failure() ?? 'it does not answer'),
    close: async (): Promise<void> => {
      await readModels.stop()
      seen.close()
      await vault.close()
      await store.close()
      file.sqlite.close()
      events.securityLog.close()
      events.refusals.close()
      events.merchantRequests.close()
      await endTraces?.()
    },
  }
}

export type Core = Awaited<ReturnType<typeof openCore>>
