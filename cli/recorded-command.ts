import { hostname, userInfo } from 'node:os'
import type { Command } from 'commander'
import type { SecurityEvent } from '../application/security-log.ts'
import type { OperatorAccount } from '../domain/cause.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import { openSecurityLogIn } from '../infrastructure/logs/security-changes.ts'
import type { Settings } from '../infrastructure/settings.ts'

/** Arguments that identify no person. Only the names of others, and of options, are recorded. */
const shownArguments: ReadonlySet<string> = new Set([
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

export const recordCommand = (
  settings: Settings,
  command: Command,
  { account }: OperatorAccount,
): void => {
  const path = pathOf(command)
  if (unrecorded.has(path.join(' '))) return
  const given = command.registeredArguments.map((argument, index) => ({
    name: argument.name(),
    value: command.processedArgs[index] as unknown,
  }))
  const shown = given.map(({ name, value }) =>
    value === undefined ? '' : shownArguments.has(name) ? String(value) : `<${name}>`,
  )
  const options = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long)
  const named = given.find(({ name }) => name === 'merchant')?.value
  const merchant = named ?? (path[0] === 'merchant' ? given[0]?.value : undefined)
  record(
    { ...settings, DATA_DIR: folderOf(command) ?? settings.DATA_DIR },
    {
      type: 'operator_command',
      actor: `operator:${account}`,
      merchant: typeof merchant === 'string' ? merchant : undefined,
      about: [...path, ...shown, ...options].filter(Boolean).join(' '),
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
export const operatorOf = (sudoUser: string | undefined): OperatorAccount => ({
  account: sudoUser === undefined ? systemUser() : `${sudoUser} as ${systemUser()}`,
  machine: hostname(),
})
