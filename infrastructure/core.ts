import { randomBytes, randomUUID } from 'node:crypto'
import { installations } from '../domain/aggregates.ts'
import { makeHandler } from '../application/handle.ts'
import { openBlobDirectory, watchBlobs } from './blob-directory.ts'
import { deriveIds, makeDigest } from './derived-ids.ts'
import { numberedFrom, uuidsOf } from './event-store/event-ids.ts'
import { countEvents } from './event-counts.ts'
import { watchSeen } from './event-store/seen-events.ts'
import { watchStore } from './event-store/watched-store.ts'
import { tellChecksums, type Log } from './log.ts'
import { cacheLimitsInHeap } from './memory.ts'
import { outagesIn, usesOf } from './outages.ts'
import { openOwnVault } from './people/own-vault.ts'
import { payerDirectory } from './people/payer-directory.ts'
import { makeDerivation, makeTokens } from './people/tokens.ts'
import { followLog } from './read-models/follow-log.ts'
import { readLogTree } from './read-models/log-tree.ts'
import { openSecurityLogIn, recordChanges } from './security-changes.ts'
import { openClock } from './service-clock.ts'
import type { Settings } from './settings.ts'
import { blobsIn, openStore, seenIn, type Place } from './stores.ts'
import type { Where } from './worker.ts'

const eventUuid = uuidsOf('5b1ad1f0-6f0b-4b5e-9a3d-0d1a7c3f2e61')

/** The log, and what reads and changes its streams. */
const openLog = async (
  settings: Settings & Place,
  log: Log,
  beside: Where,
  isAlone?: () => boolean,
) => {
  const opened = await openStore(settings, beside, isAlone, (events) => tellChecksums(log, events))
  const from = await opened.head()
  const { countingOf, text } = countEvents()
  const store = countingOf(watchStore(opened, log))
  const securityLog = openSecurityLogIn(settings, log)
  const handler = makeHandler({
    store,
    eventId: (stream, revision, commandId) => eventUuid(`${stream}/${revision}/${commandId}`),
    commandId: numberedFrom(randomUUID()),
    cacheLimits: cacheLimitsInHeap(),
    from,
    machineNow: Date.now,
    onAppended: recordChanges(securityLog),
  })
  const clock = await openClock(handler)
  return { ...handler, ...clock, store, from, eventCounts: text, securityLog }
}
type OpenLog = Awaited<ReturnType<typeof openLog>>

/** The secrets and the names of people, and how they are found. */
const openPeople = async (
  { find, handle, contextOf }: OpenLog,
  { queries, readModels: { caughtUp } }: Awaited<ReturnType<typeof followLog>>,
  settings: Settings,
  uses: ReturnType<typeof usesOf>,
) => {
  const vault = await openOwnVault({ find, handle, context: contextOf('daybook'), uses }, settings)
  const derive = makeDerivation(vault)
  const tokens = makeTokens(derive)
  const findScan = (token: string) => queries.merchants.scans.byToken(tokens.scanTokenDigest(token))
  const rows = queries.people.grants
  const payers = payerDirectory({ find, vault, tokens, rows, findScan, caughtUp })
  return { ...queries.people, vault, derive, tokens, findScan, payers }
}

/**
 * Everything that a running service and the operator's command have in common. The log is written
 * and folded in this thread, or in two others where requests should not wait meanwhile.
 */
export const openCore = async (
  settings: Settings & Place,
  log: Log,
  beside: Where = 'inline',
  isAlone?: () => boolean,
) => {
  const opened = await openLog(settings, log, beside, isAlone)
  const { state: installation } = await opened.handle(
    installations,
    'daybook',
    { type: 'MakeInstallation', key: randomBytes(32).toString('base64') },
    opened.contextOf('daybook'),
  )
  const digest = makeDigest(installation.key ?? '')
  const [usesOfVault, usesOfBlobs] = [usesOf(log, 'the vault'), usesOf(log, 'the folder of blobs')]
  const observers = [opened.observe, opened.observeClock]
  const reads = await followLog({ ...opened, observers }, settings, log, beside)
  const { file, queries, feeBook, reportBook, readModels, damage } = reads
  const people = await openPeople(opened, reads, settings, usesOfVault)
  const seen = await watchSeen(opened.store, seenIn(settings), settings.acceptsLoss)
  reads.onEvents(seen.observe)
  return {
    ...opened,
    ...damage,
    ...{ digest, readModels, caughtUp: readModels.caughtUp, newId: randomUUID },
    ...{ onFolded: reads.onFolded, onEvents: reads.onEvents },
    readModelFile: file.sqlite.name,
    removeOutdatedReadModels: file.removeOthers,
    outagesOf: outagesIn(log, damage.noteDamage),
    /** False when files or a server that requests need have failed a moment ago. */
    storesWork: () => opened.store.canBeWritten() && usesOfVault.work() && usesOfBlobs.work(),
    payments: { ...queries.payments, tidOf: deriveIds(digest, installation.ids, 'tid') },
    accounting: {
      ...queries.accounting,
      findTerms: feeBook.findTerms,
      findAllTerms: feeBook.findAllTerms,
      reportHolding: reportBook.holding,
    },
    merchants: {
      ...queries.merchants,
      blobs: watchBlobs(openBlobDirectory(blobsIn(settings)), usesOfBlobs),
    },
    people: { ...people, ridOf: deriveIds(digest, installation.ids, 'rid') },
    callbacks: queries.callbacks,
    transparency: { ...queries.transparency, tree: readLogTree(file) },
    close: async (): Promise<void> => {
      await readModels.stop()
      seen.close()
      await opened.store.close()
      file.sqlite.close()
      await people.vault.close()
      opened.securityLog.close()
    },
  }
}

export type Core = Awaited<ReturnType<typeof openCore>>
