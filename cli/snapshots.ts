import { command, group, withStore } from './command.ts'
import { constants, copyFileSync, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail } from '../infrastructure/failures.ts'
import {
  draftIn,
  putInUse,
  readSnapshot,
  takeSnapshot,
} from '../infrastructure/snapshots/snapshot.ts'
import { currentReadModels, readModelsIn } from '../infrastructure/stores.ts'

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
