import type { Command } from 'commander'
import { installations } from '../domain/aggregates.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { readVaultKeys } from '../infrastructure/people/vault-keys.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { showProgress } from './show-progress.ts'
import { discardVault, moveVault } from './vault-move.ts'
import type { Places } from './vault-places.ts'
import type { WithCore } from './with-core.ts'

const rewrap = async ({ handle, contextOf, vault }: Core, settings: Settings) => {
  const [first] = readVaultKeys(settings)
  if (!first) return fail('give the key with VAULT_KEY_FILE or VAULT_KEY_COMMAND')
  const done = await vault.rewrap(first)
  if (done.before !== first.id) {
    const command = { type: 'NoteRewrap', keyId: first.id } as const
    await handle(installations, 'daybook', command, contextOf('operator'))
  }
  return done
}

const move = async (places: Places, settings: Settings): Promise<object> => {
  const { tell, stop } = showProgress()
  try {
    return await moveVault(places, settings, tell)
  } finally {
    stop()
  }
}

/** `daybook vault` (interface 14). */
export const addVaultCommands = (
  program: Command,
  settings: Settings,
  withCore: WithCore,
  print: (value: object) => void,
): void => {
  const vault = program.command('vault').description('the keys of personal data')
  vault
    .command('rewrap')
    .description('wrap the vault by the first key of VAULT_KEY_FILE or VAULT_KEY_COMMAND')
    .action(withCore((core) => rewrap(core, settings)))
  vault
    .command('move')
    .description('move the vault between a file and streams; again, it goes on where it ended')
    .requiredOption('--from <place>', 'the file of the vault, or: streams')
    .requiredOption('--to <place>', 'the other one of these')
    .action(async (places: Places) => print(await move(places, settings)))
  vault
    .command('discard <place>')
    .description('throw away a vault that was moved elsewhere: its file, or streams')
    .action(async (place: string) => print(await discardVault(place, settings)))
}
