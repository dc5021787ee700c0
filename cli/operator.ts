import { Command } from 'commander'
import { settingsHelp, type Settings } from '../infrastructure/settings.ts'
import { checkLogIsThere } from '../infrastructure/stores.ts'
import { auditCommands } from './audit.ts'
import { auditorCommands } from './auditors.ts'
import { backupCommands } from './backups.ts'
import { bankCommands } from './bank.ts'
import { callbackCommands } from './callbacks.ts'
import type { Listed } from './command.ts'
import { copyCommand } from './copy.ts'
import { feeCommands } from './fees.ts'
import { holidayCommands } from './holidays.ts'
import { integratorCommands } from './integrators.ts'
import { keyCommands } from './keys.ts'
import { listenCommand } from './listen.ts'
import { merchantCommands } from './merchants.ts'
import { applicationCommands } from './oauth.ts'
import { payoutsCommand } from './payouts.ts'
import { payerCommands } from './people.ts'
import { posCommands, stickerCommands } from './points-of-sale.ts'
import { operatorOf, recordCommand } from './recorded-command.ts'
import { addServeCommand, type Serve } from './serve.ts'
import { settlementCommands } from './settlements.ts'
import { snapshotCommands } from './snapshots.ts'
import { operatorCommands, staffCommands } from './staff.ts'
import { openApiCommand, statusCommands } from './status.ts'
import { triggerCommand } from './trigger.ts'
import { userCommands } from './users.ts'
import { vaultCommands } from './vault.ts'

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
  bankCommands,
  payerCommands,
  applicationCommands,
  callbackCommands,
  listenCommand,
  triggerCommand,
  ...statusCommands,
  auditorCommands,
  auditCommands,
  ...backupCommands,
  copyCommand,
  snapshotCommands,
  vaultCommands,
  keyCommands,
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
