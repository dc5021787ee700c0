import { randomUUID } from 'node:crypto'
import type { MessagePort } from 'node:worker_threads'
import { watchBlobs } from '../infrastructure/blobs/blob-directory.ts'
import { isBucket, openBlobs } from '../infrastructure/blobs/blobs.ts'
import { checkParts } from './bound-parts.ts'
import { deriveIds, makeDigest } from '../infrastructure/event-store/derived-ids.ts'
import { openLog } from '../infrastructure/event-store/open-log.ts'
import { watchSeen } from '../infrastructure/event-store/seen-events.ts'
import { openInstallation } from '../infrastructure/event-store/installation.ts'
import { shareWork, unsharedWork } from '../infrastructure/leases/leases.ts'
import type { Log } from '../infrastructure/logs/log.ts'
import { failuresOf, outagesIn, textOf, usesOf, writeAt } from '../infrastructure/logs/outages.ts'
import { openPeople } from './people/open-people.ts'
import type { StartFolding } from '../infrastructure/read-models/folding.ts'
import { followLog } from '../infrastructure/read-models/follow-log.ts'
import { readLogTree } from '../infrastructure/read-models/log-tree.ts'
import { readMoments } from '../infrastructure/read-models/moment-fold.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { blobsIn, isVaultInStreams, seenIn, vaultIn, type Place } from '../infrastructure/stores.ts'
import type { Where } from '../infrastructure/worker.ts'

/** Available in a running service, but not in a command. */
export type Surroundings = {
  readonly beside?: Where
  /** Commits appends in another thread of this process. */
  readonly writer?: MessagePort
  readonly isAlone?: () => boolean
  /** By default inline or in a worker thread. */
  readonly folding?: StartFolding | undefined
  /** The service's address, once it is known. */
  readonly address?: () => string
}

/**
 * Everything that the service and the operator's command share. The log is written and folded in
 * this thread, or in two others if requests must not wait for it.
 * Long because it is the list of what they share.
 */
export const openCore = async (
  settings: Settings & Place,
  log: Log,
  { beside = 'inline', writer, isAlone, address, folding }: Surroundings = {},
) => {
  const { HOST, PORT, PUBLIC_URL } = settings
  const opened = await openLog(settings, log, writer ?? beside, isAlone)
  const { handle, streams } = opened
  const { key, ids } = await openInstallation(opened, settings)
  const digest = makeDigest(key ?? '')
  const place = blobsIn(settings)
  const blobs = await openBlobs(place, settings)
  const usesOfBlobs = usesOf(
    log,
    'the folder of blobs',
    isBucket(place) ? undefined : writeAt(place),
  )
  const usesOfVault = usesOf(
    log,
    'the vault',
    isVaultInStreams(settings) ? undefined : writeAt(vaultIn(settings)),
  )
  const observers = [opened.observe, opened.observeClock, opened.freshness.observe]
  const reads = await followLog({ ...opened, observers, folding }, settings, log, beside)
  const { file, queries, terms, reportBook, readModels, damage } = reads
  const { caughtUp } = readModels
  const sharedWork = streams && shareWork({ store: streams, handle, log, caughtUp })
  const people = await openPeople(opened, reads, settings, usesOfVault)
  if (isVaultInStreams(settings)) opened.waitFor(people.vault.caughtUp)
  opened.refusals.sealWith(people.vault.secret('refusals'))
  if (writer === undefined)
    await checkParts({ store: opened.store, vault: people.vault, blobs }, settings)
  const seen = await watchSeen(opened.store, seenIn(settings), settings.acceptsLoss)
  reads.onEvents(seen.observe)
  const freshness = opened.freshness.over(readModels)
  return {
    ...opened,
    ...damage,
    ...{ settings, log, beside },
    publicUrl: () => PUBLIC_URL ?? address?.() ?? `http://${HOST}:${PORT}`,
    ...{ digest, freshness, readModels, caughtUp, newId: randomUUID },
    /** Work shared with other nodes; undefined if the log is a file. */
    sharedWork,
    shares: sharedWork?.shares ?? unsharedWork(handle),
    ...{ onFolded: reads.onFolded, onEvents: reads.onEvents },
    readModelFile: file.sqlite.name,
    removeOutdatedReadModels: file.removeOthers,
    outagesOf: outagesIn(log, damage.noteDamage),
    /** The dependencies of requests that failed recently. */
    failures: () =>
      failuresOf({
        log: opened.store.canBeWritten() ? undefined : opened.store.failure(),
        vault: usesOfVault.failure(),
        blobs: usesOfBlobs.failure(),
      }),
    whyNotRead: () => textOf(opened.store.failure() ?? 'it does not answer'),
    ...queries,
    payments: { ...queries.payments, tidOf: deriveIds(digest, ids, 'tid') },
    accounting: { ...queries.accounting, ...terms, reportHolding: reportBook.holding },
    merchants: { ...queries.merchants, blobs: watchBlobs(blobs, usesOfBlobs) },
    people: { ...people, ridOf: deriveIds(digest, ids, 'rid') },
    transparency: { ...queries.transparency, tree: readLogTree(file) },
    moments: readMoments(file),
    close: async (): Promise<void> => {
      await readModels.stop()
      seen.close()
      await people.vault.close()
      await opened.store.close()
      file.sqlite.close()
      opened.securityLog.close()
      opened.refusals.close()
    },
  }
}

export type Core = Awaited<ReturnType<typeof openCore>>
