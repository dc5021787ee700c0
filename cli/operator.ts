import { hostname, userInfo } from 'node:os'
import { Command } from 'commander'
import type { SecurityEvent } from '../application/security-log.ts'
import type { OperatorAccount } from '../domain/cause.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import { openSecurityLogIn } from '../infrastructure/logs/security-changes.ts'
import type { Core } from '../service/core.ts'
import { settingsHelp, type Settings } from '../infrastructure/settings.ts'
import { checkLogIsThere } from '../infrastructure/stores.ts'
import { auditCommands } from './audit.ts'
import { auditorCommands } from './auditors.ts'
import { backupCommands, snapshotCommands, copyCommand } from './backups.ts'
import { bankCommands, holidayCommands } from './bank.ts'
import { callbackCommands } from './callbacks.ts'
import type { Listed } from './command.ts'
import { correctionCommands, disputeCommands, invoiceCommands } from './claims.ts'
import { doctorCommand } from './doctor.ts'
import { feeCommands } from './fees.ts'
import { fundingCommands } from './funding.ts'
import { integratorCommands, applicationCommands, userCommands } from './callers.ts'
import { keyCommands, vaultCommands } from './vault.ts'
import { listenCommand } from './listen.ts'
import { merchantCommands } from './merchants.ts'
import { payoutsCommand, retryCommand } from './payouts.ts'
import { payerCommands } from './people.ts'
import { posCommands, stickerCommands } from './points-of-sale.ts'
import { queryCommand } from './query.ts'
import { settlementCommands } from './settlements.ts'
import { operatorCommands, staffCommands } from './staff.ts'
import { openApiCommand, statusCommands } from './status.ts'
import { triggerCommand } from './trigger.ts'
import { reloadCommand, upgradeCommands } from './upgrade.ts'
import { fail } from '../infrastructure/failures.ts'

/** Arguments that identify no person. Only the names of others, and of options, are recorded. */
const recordedArguments: ReadonlySet<string> = new Set([
  ...['merchant', 'id', 'user', 'client-id', 'code', 'serial'],
])

/** Commands that touch no data. */
const unrecorded: ReadonlySet<string> = new Set([
  ...['serve', 'audit catalogue', 'openapi', 'restore', 'doctor'],
])

const pathOf = (command: Command): readonly string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()]

/** The directory to record in: that of the copied log, or of the log. */
const folderOf = (command: Command): string | undefined => {
  const { to, from } = command.opts<{ readonly to?: unknown; readonly from?: unknown }>()
  return [to, from].map((log) => /^sqlite:(.+)$/.exec(String(log))?.[1]).find(Boolean)
}

const record = (settings: Settings, event: SecurityEvent): void => {
  const log = openSecurityLogIn(settings, makePlainLog())
  log.record(event)
  log.close()
}

const recordCommand = (
  settings: Settings,
  command: Command,
  { account }: OperatorAccount,
): void => {
  const path = pathOf(command)
  if (unrecorded.has(path.join(' '))) return
  const args = command.registeredArguments.map((argument, index) => ({
    name: argument.name(),
    value: command.processedArgs[index] as unknown,
  }))
  const recorded = args.map(({ name, value }) =>
    value === undefined ? '' : recordedArguments.has(name) ? String(value) : `<${name}>`,
  )
  const options = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long)
  const named = args.find(({ name }) => name === 'merchant')?.value
  const merchant = named ?? (path[0] === 'merchant' ? args[0]?.value : undefined)
  record(
    { ...settings, DATA_DIR: folderOf(command) ?? settings.DATA_DIR },
    {
      type: 'operator_command',
      actor: `operator:${account}`,
      merchant: typeof merchant === 'string' ? merchant : undefined,
      about: [...path, ...recorded, ...options].filter(Boolean).join(' '),
    },
  )
}

/** As in the system; a container's user may have no name. */
const systemUser = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Who runs a command, and where. `sudoUser` is the user who ran sudo. */
const operatorOf = (sudoUser: string | undefined): OperatorAccount => ({
  account: sudoUser === undefined ? systemUser() : `${sudoUser} as ${systemUser()}`,
  machine: hostname(),
})

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
  /** That of a service in this process. */
  readonly core?: Core
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
export const operatorProgram = ({ version, core, serve, sudoUser, ...needs }: Needs): Command => {
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
  for (const add of commands) add(program, { settings, core, isJson })
  return program
}
