import type { Command } from 'commander'
import type { Settings } from '../settings.ts'
import { backUp } from './backup.ts'
import { checkBackup } from './backup-check.ts'

/** `daybook backup` and `daybook restore --check`. */
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
    .command('restore <folder>')
    .description(
      'check a backup and print what it holds; to restore it, start the service on a copy',
    )
    .requiredOption('--check', 'read all of it, change nothing')
    .action(async (folder: string) => print(await checkBackup(folder)))
}
