import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatAmount } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import { fail } from '../../infrastructure/failures.ts'
import { fingerprint } from '../../infrastructure/read-models/fingerprint.ts'
import { sync } from '../../infrastructure/read-models/read-model-file.ts'
import { makeBar } from '../../infrastructure/read-models/rebuild.ts'
import type { OpenedStore } from '../../infrastructure/stores.ts'
import { reasonOf } from '../../infrastructure/system-errors.ts'
import { beginDraft } from '../as-of/make-moment.ts'
import { checkHasCome } from '../as-of/write-as-of.ts'
import { openDraftFile } from './csv-files.ts'
import type { ExportRequest, exportPeriod } from './export-period.ts'
import { checkpointCovering, findPeriod, type Period } from './period.ts'

type Written = Awaited<ReturnType<typeof exportPeriod>>

const time = (at: Instant | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString()

const beyondSaft = (currency: string) => ({
  name: `saf-t-${currency}.xml`,
  why: `SAF-T has two decimals, and ${currency} has more`,
})

/** A description of the files, for people and programs. */
const manifestOf = async (
  store: OpenedStore,
  request: ExportRequest,
  period: Period,
  written: Written,
) => {
  const { range, entries, balances, files, beyondSaft: without } = written
  const { opens, closes } = period
  return {
    format: 'daybook export 1',
    asked: { from: time(request.from), to: time(request.to) },
    events: {
      count: closes.events - opens.events,
      positions: range ? { first: range.first, last: range.last } : null,
      times: range ? { first: time(range.from), last: time(range.until) } : null,
      // Indexes in the log's Merkle tree.
      entries: { before: opens.events, up_to: closes.events },
    },
    journal: { entries },
    trial_balance: balances.map(({ opening, debit, credit, closing, ...account }) => {
      const text = (sum: string) => formatAmount(sum, account.currency)
      const moved = { debit: text(debit), credit: text(credit) }
      return { ...account, opening: text(opening), ...moved, closing: text(closing) }
    }),
    checkpoint: await checkpointCovering(store, period),
    files,
    not_written: without.map(beyondSaft),
    made_by: { version: request.version, read_models: fingerprint() },
    made_at: time(request.now),
  }
}

const newFolder = (out: string): string => {
  if (existsSync(out)) fail(`${out} is there already: name a new folder`)
  try {
    // Readable by the owner only: the events contain payment data.
    return mkdtempSync(`${out}.building-`)
  } catch (error) {
    return fail(`${out} cannot be written: ${reasonOf(error) ?? String(error)}`)
  }
}

const writeInto = async (store: OpenedStore, draft: string, request: ExportRequest) => {
  if (request.from !== undefined) await checkHasCome(store, request.from)
  const period = await findPeriod(store, request.from, request.to)
  const readModels = join(draft, 'read-models.sqlite')
  const file = beginDraft(readModels)
  const bar = makeBar('folding')
  try {
    // Loaded on demand: it takes a while, and few commands write XML.
    const { exportPeriod: writePeriod } = await import('./export-period.ts')
    bar.start(period.closes.position, 0)
    const onProgress = (position: number) => bar.update(position)
    const written = await writePeriod(store, draft, file, period, request, onProgress)
    const manifest = await manifestOf(store, request, period, written)
    const manifestFile = openDraftFile(join(draft, 'manifest.json'))
    manifestFile.add(`${JSON.stringify(manifest, null, 2)}\n`)
    manifestFile.finish()
    return manifest
  } finally {
    bar.stop()
    file.sqlite.close()
    rmSync(readModels)
  }
}

/** Only the export is written, so the full disk is that of the export. */
const isWithoutRoom = (error: unknown): boolean =>
  /^(?:SQLITE_FULL|ENOSPC)$/.test(String((error as NodeJS.ErrnoException).code))

/** Writes all files or none: the folder is renamed into place at the end. */
export const writeExport = async (store: OpenedStore, out: string, request: ExportRequest) => {
  const draft = newFolder(out)
  try {
    const manifest = await writeInto(store, draft, request)
    const { files, checkpoint, events, journal, not_written } = manifest
    sync(draft)
    renameSync(draft, out)
    sync(dirname(out))
    const covered = checkpoint && { position: checkpoint.position, size: checkpoint.size }
    const names = files.map(({ name }) => name)
    return { folder: out, events, journal, checkpoint: covered, files: names, not_written }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!isWithoutRoom(error)) throw error
    return fail(`${out} cannot be written: the disk is full`)
  }
}
