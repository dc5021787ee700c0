import type { SingleBar } from 'cli-progress'
import { resolve } from 'node:path'
import type { Source, Target } from '../audit/copy/copied-event.ts'
import { copyLog } from '../audit/copy/copy-log.ts'
import { embeddedSource, embeddedTarget } from '../audit/copy/embedded-log.ts'
import { fail } from '../infrastructure/failures.ts'
import { command, flag, required } from './command.ts'
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
  let shown: { readonly doing: string; readonly bar: SingleBar } | undefined
  const stop = (): void => shown?.bar.stop()
  return {
    onProgress: (doing: string, at: number, end: number): void => {
      if (shown?.doing !== doing) {
        stop()
        shown = { doing, bar: makeBar(doing) }
        shown.bar.start(end, 0)
      }
      shown.bar.setTotal(end)
      shown.bar.update(Math.min(at, end))
    },
    stop,
  }
}

const vaultStays =
  'not copied: it lies in streams of --from, which VAULT=streams opens there and nowhere else'

/** `daybook copy`: copies a log to another store. */
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
      if (source.shown === target.shown) return fail('--from and --to are the same log')
      const done = await copyLog(source, target, onProgress)
      const seconds = (performance.now() - started) / 1000
      const holdsVault = (await source.holdsVault?.()) ?? false
      return {
        ...{ from: source.shown, to: target.shown, ...done, seconds: Number(seconds.toFixed(2)) },
        ...(holdsVault && { vault: vaultStays }),
      }
    } finally {
      stop()
      await target?.close()
      await source.close()
    }
  },
})
