import { randomBytes, randomUUID } from 'node:crypto'
import { clocks, installations } from '../domain/aggregates.ts'
import type { OutageOf } from '../application/per-key-back-off.ts'
import { makeFeeBook } from '../application/fee-book.ts'
import { makeHandler, type Context } from '../application/handle.ts'
import { clockEvents, machineTimeAt } from '../domain/clock.ts'
import type { Instant } from '../domain/time.ts'
import { queriesOf } from '../projections/read-models.ts'
import { openBlobDirectory, watchBlobs } from './blob-directory.ts'
import { deriveIds, makeDigest } from './derived-ids.ts'
import { numberedFrom, uuidsOf } from './event-store/event-ids.ts'
import { countEvents } from './event-counts.ts'
import { watchStore } from './event-store/watched-store.ts'
import type { Log } from './log.ts'
import { cacheLimitsInHeap } from './memory.ts'
import { reportOutage, useOf } from './outages.ts'
import { openOwnVault } from './people/own-vault.ts'
import { payerDirectory } from './people/payer-directory.ts'
import { makeDerivation, makeTokens } from './people/tokens.ts'
import { foldInWorker } from './read-models/folding-client.ts'
import { foldInline } from './read-models/folding.ts'
import { noteDamage } from './read-models/read-model-file.ts'
import { runReadModels, type OnFolded, type ReadModels } from './read-models/read-models.ts'
import { makeReportBook } from './read-models/report-book.ts'
import type { Settings } from './settings.ts'
import { blobsIn, openReadModels, openStore } from './stores.ts'
import type { Where } from './worker.ts'

const eventUuid = uuidsOf('5b1ad1f0-6f0b-4b5e-9a3d-0d1a7c3f2e61')

/**
 * Everything that a running service and the operator's command have in common: the log, its handler, its read models.
 * The log is written and they are folded in this thread, or in two others where requests should not wait meanwhile.
 */
export const openCore = async (
  settings: Settings,
  log: Log,
  beside: Where = 'inline',
  isAlone?: () => boolean,
) => {
  const opened = await openStore(settings, beside, isAlone)
  const from = await opened.head()
  const eventCounts = countEvents()
  const store = eventCounts.countingOf(watchStore(opened, log))
  const file = await openReadModels(settings, store, (foldedTo) =>
    log.warn(
      { foldedTo, head: from },
      'the log does not hold the event up to which the read models were folded: it was restored, or lost its end',
    ),
  )
  const queries = queriesOf(file.db)
  const reportBook = makeReportBook({
    reports: queries.reports,
    reached: (position) => readModels.reached(position),
    position: () => readModels.position(),
    from,
  })
  const { handle, find, recall, observe } = makeHandler({
    store,
    eventId: (stream, revision, commandId) => eventUuid(`${stream}/${revision}/${commandId}`),
    commandId: numberedFrom(randomUUID()),
    cacheLimits: cacheLimitsInHeap(),
    from,
  })
  const feeBook = makeFeeBook({ find })
  const listeners = new Set<OnFolded>()
  let isDamaged = false
  const noted = (error: unknown): void => {
    if (noteDamage(file.sqlite.name, error)) isDamaged = true
  }
  let aheadBy = (await find(clocks, 'service')).aheadBy
  const now = (): Instant => Date.now() + aheadBy

  const contextOf = (actor: string, merchant: string | null = null): Context => ({
    at: now(),
    merchant,
    actor,
    correlationId: randomUUID(),
  })

  const { state: installation } = await handle(
    installations,
    'daybook',
    { type: 'MakeInstallation', key: randomBytes(32).toString('base64') },
    contextOf('daybook'),
  )
  const usesOf = (what: string) => {
    return { reading: useOf(log, what, 'read'), writing: useOf(log, what, 'written') }
  }
  const usesOfVault = usesOf('the vault')
  const usesOfBlobs = usesOf('the folder of blobs')
  const context = contextOf('daybook')
  const vault = await openOwnVault({ find, handle, context, uses: usesOfVault }, settings)
  const digest = makeDigest(installation.key ?? '')

  const following = reportOutage(
    log,
    'the read models cannot follow the log',
    'the read models follow the log again',
  )
  const readModels: ReadModels = runReadModels({
    store,
    startFolding:
      beside === 'inline' ? foldInline({ store, file }) : foldInWorker(settings, file.sqlite.name),
    from,
    onEvents: (events) => {
      observe(events)
      feeBook.observe(events)
      reportBook.observe(events)
      for (const { type, data } of events)
        if (type === 'ClockAdvanced')
          aheadBy = Math.max(aheadBy, clockEvents.ClockAdvanced.parse(data).aheadBy)
    },
    onFolded: (streams) => {
      following.worked()
      for (const listener of listeners) listener(streams)
    },
    onFailure: following.failed,
  })
  const derive = makeDerivation(vault)
  const tokens = makeTokens(derive)
  const { caughtUp } = readModels
  const findScan = (token: string) => queries.scans.byToken(tokens.scanTokenDigest(token))

  return {
    ...queries,
    store,
    handle,
    find,
    recall,
    now,
    /** What the clock of the machine showed when the service's showed that. */
    machineTime: async (at: Instant): Promise<Instant> =>
      machineTimeAt(await find(clocks, 'service'), at),
    contextOf,
    findTerms: feeBook.findTerms,
    findAllTerms: feeBook.findAllTerms,
    digest,
    tidOf: deriveIds(digest, installation.ids, 'tid'),
    ridOf: deriveIds(digest, installation.ids, 'rid'),
    derive,
    tokens,
    blobs: watchBlobs(openBlobDirectory(blobsIn(settings)), usesOfBlobs),
    /** False when whatever requests need of files or of a server has failed a moment ago, when it was last tried. */
    storesWork: (): boolean =>
      store.canBeWritten() &&
      [usesOfVault, usesOfBlobs].every(
        ({ reading, writing }) => reading.works() && writing.works(),
      ),
    readModels,
    removeOutdatedReadModels: file.removeOthers,
    reportHolding: reportBook.holding,
    readModelFile: file.sqlite.name,
    eventCounts: eventCounts.text,
    noteDamage: noted,
    /** Whether somebody has met damage in the file of the read models. */
    isDamaged: (): boolean => isDamaged,
    vault,
    findScan,
    payers: payerDirectory({ find, vault, tokens, rows: queries.grants, findScan, caughtUp }),
    /** Moves the sandbox's clock. */
    advanceClock: async (
      step: { readonly by: number } | { readonly to: Instant },
      context: Context,
    ): Promise<void> => {
      const command = { type: 'AdvanceClock', machine: Date.now(), ...step } as const
      const { state } = await handle(clocks, 'service', command, context)
      // Later steps may have come by already.
      aheadBy = Math.max(aheadBy, state.aheadBy)
    },
    onFolded: (listener: OnFolded) => listeners.add(listener),
    /** Tells of work for somebody that fails while that for others goes on. */
    outagesOf:
      (work: string): OutageOf =>
      (key) => {
        const { failed, worked } = reportOutage(
          log,
          `${work} ${key} fails: it will be tried again, and others go on`,
          `${work} ${key} works again`,
        )
        const notedAndFailed = (error: unknown): void => {
          noted(error)
          failed(error)
        }
        return { failed: notedAndFailed, worked }
      },
    close: async (): Promise<void> => {
      await readModels.stop()
      await store.close()
      file.sqlite.close()
      await vault.close()
    },
  }
}

export type Core = Awaited<ReturnType<typeof openCore>>
