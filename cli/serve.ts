import type { Command } from 'commander'
import { fail } from '../infrastructure/failures.ts'

/** Runs the service in several processes. */
export type Serve = (processes: number) => Promise<void>

const most = 64

const processesOf = (text: string): number =>
  /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= most
    ? Number(text)
    : fail(`--processes ${text}: give a number from 1 to ${most}, about one for each core`)

/** `daybook serve`, which is also the default command. */
export const addServeCommand = (program: Command, serve: Serve | undefined): void => {
  program
    .command('serve', { isDefault: true })
    .description('run the service (the default command)')
    .option('--processes <n>', 'that answer together on one port, on one log', processesOf, 1)
    // The default command also receives unknown words, which must be rejected.
    .allowExcessArguments()
    .allowUnknownOption()
    .action(async ({ processes }: { processes: number }, { args: [word] }: Command) => {
      if (word === undefined) return serve?.(processes)
      return program.error(
        word.startsWith('-') ? `there is no option ${word}` : `there is no command ${word}`,
      )
    })
}
