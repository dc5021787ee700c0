import type { Command } from 'commander'
import { installations } from '../../domain/aggregates.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import { readVaultKeys } from '../people/vault-keys.ts'
import type { Settings } from '../settings.ts'
import type { WithCore } from './with-core.ts'

const rewrap = async ({ handle, contextOf, people: { vault } }: Core, settings: Settings) => {
  const [first] = readVaultKeys(settings)
  if (!first) return fail('give the key with VAULT_KEY_FILE or VAULT_KEY_COMMAND')
  const done = await vault.rewrap(first)
  if (done.before !== first.id) {
    const command = { type: 'NoteRewrap', keyId: first.id } as const
    await handle(installations, 'daybook', command, contextOf('operator'))
  }
  return done
}

/** `daybook vault` (interface 14). */
export const addVaultCommands = (
  program: Command,
  settings: Settings,
  withCore: WithCore,
): void => {
  program
    .command('vault')
    .description('the keys of personal data')
    .command('rewrap')
    .description('wrap the vault by the first key of VAULT_KEY_FILE or VAULT_KEY_COMMAND')
    .action(withCore((core) => rewrap(core, settings)))
}
