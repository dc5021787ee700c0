import { Command } from 'commander'
import { Refusal } from '../domain/refusal.ts'
import { openCore } from '../service/core.ts'
import { OperatorError } from '../infrastructure/failures.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import { refuseSandboxCommand } from '../service/mode-of-log.ts'
import { rebuildReadModels } from '../infrastructure/read-models/rebuild.ts'
import { settingsHelp, type Settings } from '../infrastructure/settings.ts'
import { checkLogIsThere } from '../infrastructure/stores.ts'
import { addAccountingCommands } from './accounting.ts'
import { addAuditCommands } from './audit.ts'
import { addAuditorCommands } from './auditors.ts'
import { addBackupCommands } from './backups.ts'
import { addCallbackCommands } from './callbacks.ts'
import { addCopyCommand } from './copy.ts'
import { addIntegratorCommands } from './integrators.ts'
import { addKeyCommands } from './keys.ts'
import { addLimitCommands } from './limits.ts'
import { addListenCommand, type WireOfCallbacks } from './listen.ts'
import { addMerchantCommands } from './merchants.ts'
import { addOAuthCommands } from './oauth.ts'
import { addOperatorCommands, type MessagesBeside } from './operators.ts'
import { addPeopleCommands } from './people.ts'
import { addPosCommands } from './points-of-sale.ts'
import { recordCommand } from './recorded-command.ts'
import { addServeCommand, type Serve } from './serve.ts'
import { addSnapshotCommands } from './snapshots.ts'
import { addStaffCommands } from './staff.ts'
import { accountingStatus } from './status.ts'
import { addStickerCommands } from './stickers.ts'
import { addTriggerCommand, type OpenService } from './trigger.ts'
import { addUserCommands } from './users.ts'
import { addVaultCommands } from './vault.ts'
import { operatorOf } from './who.ts'
import type { WithCore } from './with-core.ts'

/** Parts of the server that a few commands need; loaded on demand. */
type Server = {
  described(settings: Settings): object
  isRedirectUri(text: string, isSandbox: boolean): boolean
  callbackWire: WireOfCallbacks
  openService: OpenService
  messagesBeside: MessagesBeside
  textOfRefusal(code: string): string | undefined
}

type Needs = {
  readonly settings: Settings
  readonly version: string
  readonly server: () => Promise<Server>
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
export const operatorProgram = ({ version, server, serve, sudoUser, ...needs }: Needs): Command => {
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

  const print = (value: object): void => {
    const isJson = program.opts<{ json?: true }>().json
    const rows = Array.isArray(value) ? (value as object[]) : [value]
    const text = rows.map((row) =>
      Object.entries(row)
        .map(
          ([name, field]) =>
            `${name}: ${typeof field === 'string' ? field : JSON.stringify(field)}`,
        )
        .join('\n'),
    )
    process.stdout.write(`${isJson ? JSON.stringify(value, null, 2) : text.join('\n\n')}\n`)
  }

  const withCore: WithCore =
    (work) =>
    async (...rest): Promise<void> => {
      const core = await openCore(settings, makePlainLog())
      try {
        await refuseSandboxCommand(core, settings)
        print(await work(core, ...rest))
      } catch (error) {
        if (!(error instanceof Refusal || error instanceof OperatorError)) throw error
        process.stderr.write(`${error.message}\n`)
        process.exitCode = 1
      } finally {
        await core.close()
      }
    }

  addServeCommand(program, serve)
  addMerchantCommands(program, withCore)
  addIntegratorCommands(program, withCore)
  addStickerCommands(program, withCore)

  addUserCommands(program, withCore)
  addStaffCommands(program, withCore)
  addOperatorCommands(program, withCore, async (core) => (await server()).messagesBeside(core))
  addPosCommands(program, withCore)
  addAccountingCommands(program, settings, withCore)
  addPeopleCommands(program, withCore)
  addOAuthCommands(program, withCore, async () => {
    const { isRedirectUri } = await server()
    return (text) => isRedirectUri(text, settings.MODE === 'sandbox')
  })

  addLimitCommands(program, withCore)
  const wireOf: WireOfCallbacks = async (core) => (await server()).callbackWire(core)
  addCallbackCommands(program, withCore, wireOf)
  addListenCommand(program, withCore, settings, wireOf)
  addTriggerCommand(program, settings, async () => (await server()).openService, print)

  program
    .command('rebuild')
    .description('fold the whole log into new read models, used from the next start')
    .action(async () => print(await rebuildReadModels(settings)))

  program
    .command('status')
    .description('print the state of the log, the read models and the journal')
    .action(
      withCore(async (core) => {
        const {
          readModels,
          callbacks: { queue },
          merchants: { merchants: rows },
          now,
        } = core
        await readModels.caughtUp()
        const { head, position } = await readModels.progress()
        return {
          now: new Date(now()).toISOString(),
          event_store: settings.EVENT_STORE === 'sqlite' ? 'sqlite' : 'EventStoreDB',
          log_position: head,
          read_models_position: position,
          merchants: rows.all().length,
          vault_wrapped_by: core.vault.wrappedBy() ?? null,
          callbacks_unfinished: queue.unfinishedCount(),
          ...accountingStatus(core),
        }
      }),
    )

  addAuditorCommands(program, withCore)
  addAuditCommands(program, settings, async () => (await server()).textOfRefusal)
  addBackupCommands(program, settings, print)
  addCopyCommand(program, print)
  addSnapshotCommands(program, settings, print)
  addVaultCommands(program, settings, withCore, print)
  addKeyCommands(program, withCore)

  program
    .command('openapi')
    .description('print the interface as an OpenAPI document')
    .action(async () => {
      const document = (await server()).described(settings)
      process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    })
  return program
}
