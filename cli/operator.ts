import { Command } from 'commander'
import { settingsHelp, type Settings } from '../infrastructure/settings.ts'
import { checkLogIsThere } from '../infrastructure/stores.ts'
import { auditCommands } from './audit.ts'
import { auditorCommands } from './auditors.ts'
import { backupCommands, snapshotCommands, copyCommand } from './backups.ts'
import { bankCommands, holidayCommands } from './bank.ts'
import { callbackCommands } from './callbacks.ts'
import type { Listed } from './command.ts'
import { correctionCommands } from './corrections.ts'
import { invoiceCommands } from './invoices.ts'
import { disputeCommands } from './disputes.ts'
import { doctorCommand } from './doctor.ts'
import { feeCommands } from './fees.ts'
import { fundingCommands } from './funding.ts'
import { integratorCommands } from './integrators.ts'
import { keyCommands, vaultCommands } from './vault.ts'
import { listenCommand } from './listen.ts'
import { merchantCommands } from './merchants.ts'
import { applicationCommands } from './oauth.ts'
import { payoutsCommand, retryCommand } from './payouts.ts'
import { payerCommands } from './people.ts'
import { posCommands, stickerCommands } from './points-of-sale.ts'
import { queryCommand } from './query.ts'
import { operatorOf, recordCommand } from './recorded-command.ts'
import { settlementCommands } from './settlements.ts'
import { operatorCommands, staffCommands } from './staff.ts'
import { openApiCommand, statusCommands } from './status.ts'
import { triggerCommand } from './trigger.ts'
import { reloadCommand, upgradeCommands } from './upgrade.ts'
import { userCommands } from './users.ts'
import { fail } from '../infrastructure/failures.ts'

/** Runs the service in several processes. */
type Serve = (processes: number) => Promise<void>

const most = 64

const processesOf = (text: string): number =>
  /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= most
    ? Number(text)
    : fail(`--processes ${text}: give a number from 1 to ${most}, about one for each core`)

const addServeCommand = (program: Command, serve: Serve | undefined): void => {
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

/** In the order of the help. */
const commands: readonly Listed[] = [
  merchantCommands,
  integratorCommands,
  stickerCommands,
  userCommands,
  staffCommands,
  operatorCommands,
  posCommands,
  ...feeCommands,
  holidayCommands,
  ...settlementCommands,
  payoutsCommand,
  retryCommand,
  disputeCommands,
  correctionCommands,
  invoiceCommands,
  bankCommands,
  fundingCommands,
  payerCommands,
  applicationCommands,
  callbackCommands,
  listenCommand,
  triggerCommand,
  ...statusCommands,
  doctorCommand,
  auditorCommands,
  auditCommands,
  queryCommand,
  ...backupCommands,
  copyCommand,
  snapshotCommands,
  vaultCommands,
  keyCommands,
  upgradeCommands,
  reloadCommand,
  openApiCommand,
]

type Needs = {
  readonly settings: Settings
  readonly version: string
  /** The user who ran sudo, if any. */
  readonly sudoUser?: string | undefined
  /** Absent in a build with commands only. */
  readonly serve?: Serve
}

/** Commands that need no existing log in DATA_DIR. */
const mayComeFirst: ReadonlySet<string> = new Set([
  'serve',
  'catalogue',
  'openapi',
  'restore',
  'copy',
  'doctor',
])

/** `audit serve` has the same name as `serve`. */
const comesFirst = (command: Command): boolean =>
  mayComeFirst.has(command.name()) &&
  !(command.name() === 'serve' && command.parent?.name() === 'audit')

/** The operator's commands (interface 14). They run beside a service on the same data. */
export const operatorProgram = ({ version, serve, sudoUser, ...needs }: Needs): Command => {
  const operator = operatorOf(sudoUser)
  const settings = { ...needs.settings, operator, needsLog: true }
  const program = new Command('daybook')
    .description('An event-sourced payment ledger core.')
    .version(version)
    .option('--json', 'print JSON')
    .addHelpText('after', `\n${settingsHelp()}`)
    .showHelpAfterError()

  program.hook('preAction', async (_, command) => {
    if (comesFirst(command)) return
    await checkLogIsThere(settings)
    recordCommand(settings, command, operator)
  })
  // These commands may find no writable directory, or must not create one, even if they fail.
  program.hook('postAction', (_, command) => {
    if (comesFirst(command)) recordCommand(settings, command, operator)
  })

  addServeCommand(program, serve)
  const isJson = (): boolean => program.opts<{ json?: true }>().json ?? false
  for (const add of commands) add(program, { settings, isJson })
  return program
}
