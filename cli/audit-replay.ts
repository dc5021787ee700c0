import type { Command } from 'commander'
import { statSync } from 'node:fs'
import { fail } from '../infrastructure/failures.ts'
import type { Settings } from '../infrastructure/settings.ts'
import type { FilesCompared } from '../audit/what-if/compare-files.ts'
import type { Cell } from '../audit/what-if/differing-cells.ts'
import { replayWithBuild } from '../audit/what-if/replay-build.ts'
import { replayWithFees } from '../audit/what-if/replay-fees.ts'
import { countOfBuild, shownCell, textOfBuild, textOfFees } from '../audit/what-if/replay-words.ts'
import { feesInFile } from './fee-file.ts'
import { showProgress } from './show-progress.ts'

const limitOf = (text: string): number =>
  /^\d{1,7}$/.test(text) ? Number(text) : fail(`${text} is not a number of differences`)

const isFolder = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? found.isDirectory() : fail(`${path}: there is no such folder or file`)
}

/** JSON cannot contain bytes. */
const plain = (cell: Cell): Cell => (cell instanceof Uint8Array ? shownCell(cell) : cell)

const plainTables = ({ tablesOnlyIn, tables }: FilesCompared) => ({
  tables_only_here: tablesOnlyIn.here,
  tables_only_there: tablesOnlyIn.there,
  tables: tables.map(({ table, rows, columnsOnlyIn, isComparable, count, differences }) => ({
    ...{ table, rows, count },
    columns_only_here: columnsOnlyIn.here,
    columns_only_there: columnsOnlyIn.there,
    compared: isComparable,
    differences: differences.map(({ table: _, ...one }) =>
      'onlyIn' in one
        ? { key: one.key, only: one.onlyIn }
        : { ...one, here: plain(one.here), there: plain(one.there) },
    ),
  })),
})

type Replayed = { readonly count: number; readonly text: string; readonly json: object }

const withBuild = async (settings: Settings, folder: string, limit: number): Promise<Replayed> => {
  const { tell, stop } = showProgress()
  const found = await replayWithBuild(settings, folder, limit, tell).finally(stop)
  const { position, here, there } = found
  const count = countOfBuild(found)
  const versions = {
    here: { made_by: here.madeBy },
    there: { build: there.build, made_by: there.madeBy },
  }
  const rest = 'problem' in found ? { problem: found.problem } : plainTables(found)
  return { count, text: textOfBuild(found), json: { position, count, ...versions, ...rest } }
}

const withFees = async (settings: Settings, file: string, limit: number): Promise<Replayed> => {
  const fees = await feesInFile(file)
  const { tell, stop } = showProgress()
  const found = await replayWithFees(settings, fees, limit, tell).finally(stop)
  return { count: found.count, text: textOfFees(found), json: found }
}

/** `daybook audit replay`: shows what another build, or other fees, would have made of this log. */
export const addAuditReplay = (audit: Command, program: Command, settings: Settings): void => {
  audit
    .command('replay')
    .description('fold the log with another build, or other fees, and list every difference')
    .requiredOption(
      '--with <path>',
      'a built checkout or its dist; or a file of fees, as fees list --json prints them',
    )
    .option(
      '--limit <n>',
      'list so many of each table, or of all fees; all are counted',
      limitOf,
      20,
    )
    .action(async ({ with: path, limit }: { readonly with: string; readonly limit: number }) => {
      const replay = isFolder(path) ? withBuild : withFees
      const { count, text, json } = await replay(settings, path, limit)
      const isJson = program.opts<{ json?: true }>().json
      process.stdout.write(`${isJson ? JSON.stringify(json, null, 2) : text}\n`)
      if (count > 0) process.exitCode = 1
    })
}
