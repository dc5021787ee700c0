import type { Command } from 'commander'
import { constants, copyFileSync, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail } from '../infrastructure/failures.ts'
import type { Settings } from '../infrastructure/settings.ts'
import {
  draftIn,
  putInUse,
  readSnapshot,
  takeSnapshot,
} from '../infrastructure/snapshots/snapshot.ts'
import { currentReadModels, readModelsIn } from '../infrastructure/stores.ts'
import { withStore } from './audit-verify.ts'

type Print = (value: object) => void

const take = async (settings: Settings, file: string): Promise<object> => {
  const to = resolve(file)
  if (existsSync(to)) return fail(`${to} is there already`)
  const readModels =
    currentReadModels(settings) ??
    fail('there are no read models of this version: start the service once')
  const { foldedTo } = await takeSnapshot(readModels, to)
  return { file: to, position: foldedTo.position, stream: foldedTo.stream }
}

const use = async (settings: Settings, file: string, print: Print): Promise<void> => {
  const from = resolve(file)
  readSnapshot(from)
  const directory = readModelsIn(settings)
  const draft = draftIn(directory)
  copyFileSync(from, draft, constants.COPYFILE_FICLONE)
  await withStore(settings, async (store) => {
    const { foldedTo } = await putInUse(draft, directory, store)
    print({ used_from_the_next_start: true, position: foldedTo.position })
  })
}

/** `daybook snapshot`: transfers read models between nodes instead of folding from the start. */
export const addSnapshotCommands = (program: Command, settings: Settings, print: Print): void => {
  const snapshot = program.command('snapshot').description('read models for another node')
  snapshot
    .command('take <file>')
    .description('copy the read models, beside a running service, for a node of the same log')
    .action(async (file: string) => print(await take(settings, file)))
  snapshot
    .command('use <file>')
    .description('begin from such a copy at the next start, instead of folding the whole log')
    .action((file: string) => use(settings, file, print))
}
