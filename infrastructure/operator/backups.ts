import type { Command } from 'commander'
import type { Settings } from '../settings.ts'
import { fail } from '../failures.ts'
import { backUp } from './backup.ts'
import { checkBackup } from './backup-check.ts'
import { acceptLoss } from './loss.ts'

type RestoreOptions = { readonly check?: true; readonly accept?: true }

/** `daybook backup` and `daybook restore`. */
export const addBackupCommands = (
  program: Command,
  settings: Settings,
  print: (value: object) => void,
): void => {
  program
    .command('backup <folder>')
    .description('copy log, vault, blobs and keys of a running service into a new folder')
    .action(async (folder: string) => print(await backUp(settings, folder)))
  program
    .command('restore [folder]')
    .description(
      'check a backup and print what it holds; to restore it, start the service on a copy',
    )
    .option('--check', 'read all of it, change nothing')
    .option('--accept', 'go on with the log in DATA_DIR, though it lacks events that were seen')
    .action(async (folder: string | undefined, { check, accept }: RestoreOptions) => {
      if (accept && !check && folder === undefined) return print(await acceptLoss(settings))
      if (!check || accept || folder === undefined)
        return fail('give a folder and --check, or --accept alone')
      print(await checkBackup(folder, settings))
    })
}
