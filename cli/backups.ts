import { command, flag, group, withStore, required } from './command.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { fail } from '../infrastructure/failures.ts'
import { backUp, restore, checkBackup } from '../audit/copy/backup.ts'
import { installations } from '../domain/aggregates.ts'
import { newestMark, placeOf } from '../infrastructure/event-store/seen-events.ts'
import { type Mark, readMark } from '../infrastructure/event-store/marks.ts'
import { headOf } from '../infrastructure/event-store/sqlite-event-file.ts'
import { openCore } from '../service/core.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import { problemsOfParts } from '../service/people/bound-parts.ts'
import { seenWhenSigned } from '../audit/transparency/signed-before.ts'
import {
  logFileIn,
  openStore,
  type Place,
  readModelMark,
  seenIn,
  currentReadModels,
  readModelsIn,
} from '../infrastructure/stores.ts'
import { constants, copyFileSync, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  draftIn,
  putInUse,
  readSnapshot,
  takeSnapshot,
} from '../infrastructure/snapshots/snapshot.ts'
import type { SingleBar } from 'cli-progress'
import {
  type Source,
  type Target,
  copyLog,
  embeddedSource,
  embeddedTarget,
} from '../audit/copy/copy-log.ts'
import { makeBar } from '../infrastructure/read-models/rebuild.ts'

type Where = { readonly folder: string } | { readonly server: string }

const whereIs = (option: string, text: string): Where => {
  const folder = /^sqlite:(.+)$/.exec(text)?.[1]
  if (folder !== undefined) return { folder: resolve(folder) }
  if (/^(?:esdb|kurrentdb)(?:\+discover)?:\/\/./.test(text)) return { server: text }
  return fail(`--${option}: give sqlite:<folder>, or a connection string as esdb://127.0.0.1:2113`)
}

/** Loaded on demand: it takes a tenth of a second. */
const servers = () => import('../audit/copy/eventstoredb-log.ts')

const sourceAt = async (where: Where): Promise<Source> =>
  'folder' in where ? embeddedSource(where.folder) : (await servers()).serverSource(where.server)

const targetAt = async (where: Where, besideOthers: boolean): Promise<Target> =>
  'folder' in where
    ? embeddedTarget(where.folder)
    : (await servers()).serverTarget(where.server, besideOthers)

/** One bar per step. */
const showProgress = () => {
  let current: { readonly doing: string; readonly bar: SingleBar } | undefined
  const stop = (): void => current?.bar.stop()
  return {
    onProgress: (doing: string, at: number, end: number): void => {
      if (current?.doing !== doing) {
        stop()
        current = { doing, bar: makeBar(doing) }
        current.bar.start(end, 0)
      }
      current.bar.setTotal(end)
      current.bar.update(Math.min(at, end))
    },
    stop,
  }
}

const vaultStays =
  'not copied: it lies in streams of --from, which VAULT=streams opens there and nowhere else'

export const copyCommand = command({
  name: 'copy',
  about: 'copy a log into another store and compare both; again, it goes on where it ended',
  options: {
    from: required('<log>', 'sqlite:<folder>, or a connection string as esdb://…'),
    to: required('<log>', 'the same; empty, or an unfinished copy'),
    besideOthers: flag('the database of --to may hold events of other applications'),
  },
  run: async (_, { from, to, besideOthers = false }) => {
    const [fromWhere, toWhere] = [whereIs('from', from), whereIs('to', to)]
    const source = await sourceAt(fromWhere)
    const { onProgress, stop } = showProgress()
    const started = performance.now()
    let target: Target | undefined
    try {
      target = await targetAt(toWhere, besideOthers)
      if (source.label === target.label) return fail('--from and --to are the same log')
      const done = await copyLog(source, target, onProgress)
      const seconds = (performance.now() - started) / 1000
      const holdsVault = (await source.holdsVault?.()) ?? false
      return {
        from: source.label,
        to: target.label,
        ...done,
        seconds: Number(seconds.toFixed(2)),
        ...(holdsVault && { vault: vaultStays }),
      }
    } finally {
      stop()
      await target?.close()
      await source.close()
    }
  },
})

/** `daybook snapshot`: transfers read models between nodes instead of folding from the start. */
export const snapshotCommands = group('snapshot', 'read models for another node', [
  command({
    name: 'take <file>',
    about: 'copy the read models, beside a running service, for a node of the same log',
    run: async ({ settings }, file) => {
      const to = resolve(file)
      if (existsSync(to)) return fail(`${to} is there already`)
      const readModels =
        currentReadModels(settings) ??
        fail('there are no read models of this version: start the service once')
      const { foldedTo } = await takeSnapshot(readModels, to)
      return { file: to, position: foldedTo.position, stream: foldedTo.stream }
    },
  }),
  command({
    name: 'use <file>',
    about: 'begin from such a copy at the next start, instead of folding the whole log',
    run: async ({ settings }, file) => {
      const from = resolve(file)
      readSnapshot(from)
      const directory = readModelsIn(settings)
      const draft = draftIn(directory)
      copyFileSync(from, draft, constants.COPYFILE_FICLONE)
      return withStore(settings, async (store) => {
        const { foldedTo } = await putInUse(draft, directory, store)
        return { used_from_the_next_start: true, position: foldedTo.position }
      })
    },
  }),
])

/** The newest event that was seen but is not in the log, and the log's end. */
const lossIn = async (settings: Settings & Place) => {
  const store = await openStore(settings)
  try {
    const ofFile = settings.EVENT_STORE === 'sqlite' && readMark(headOf(logFileIn(settings)))
    const besideKeys = seenWhenSigned(settings.DATA_DIR)
    const marks = [ofFile, readMark(seenIn(settings)), readModelMark(settings), besideKeys]
    let seen: Mark | undefined
    for (const mark of marks)
      if (mark && mark.position >= (seen?.position ?? 0) && (await placeOf(store, mark)) === 'lost')
        seen = mark
    return seen && { seen, end: await store.head() }
  } finally {
    await store.close()
  }
}

/** Accepts a log that lost events, and records this. @throws OperatorError if it lost none */
const acceptLoss = async (own: Settings): Promise<object> => {
  const settings = { ...own, acceptsLoss: true }
  const loss = await lossIn(settings)
  const core = await openCore(settings, makePlainLog())
  try {
    const { store, vault, blobs, handle, contextOf } = core
    const lacks = await problemsOfParts({ store, vault, blobs })
    const seen = loss?.seen ?? (lacks.length > 0 ? await newestMark(store) : undefined)
    if (!seen) return fail('the log holds every event that was seen: there is no loss to accept')
    const end = loss?.end ?? seen.position
    const data = { end, seen, ...(lacks.length > 0 && { lacks }) }
    await handle(installations, 'daybook', { type: 'AcceptLoss', data }, contextOf('operator'))
    const lost = loss && { lost_position: seen.position, lost_stream: seen.stream }
    return { last_position: end, ...lost, ...(lacks.length > 0 && { lacks }) }
  } finally {
    await core.close()
  }
}

export const backupCommands = [
  command({
    name: 'backup <folder>',
    about: 'copy log, vault, blobs and keys of a running service into a new folder',
    run: ({ settings }, folder) => backUp(settings, folder),
  }),
  command({
    name: 'restore [folder]',
    about: 'check a backup, then copy it to DATA_DIR, VAULT and BLOBS, which must be empty',
    options: {
      check: flag('only read all of it and print what it holds, change nothing'),
      accept: flag('go on with the log in DATA_DIR, though it lacks events that were seen'),
    },
    run: ({ settings }, folder, { check, accept }) => {
      if (accept && !check && folder === undefined) return acceptLoss(settings)
      if (accept || folder === undefined)
        return fail('give a folder, with --check to change nothing, or --accept alone')
      return check ? checkBackup(folder, settings) : restore(settings, folder)
    },
  }),
]
