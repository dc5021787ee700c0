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
import { existsSync } from 'node:fs'
import type { Vault } from '../infrastructure/people/vault-port.ts'
import { openVault } from '../infrastructure/people/vault.ts'
import { isVaultInStreams, openStoreToRead, vaultIn } from '../infrastructure/stores.ts'
import { hasKnownFile } from '../infrastructure/vault-streams/known-file.ts'
import { isVaultThere } from '../infrastructure/vault-streams/master.ts'
import { openVaultInStreams } from '../infrastructure/vault-streams/vault.ts'

export type Work<Answer> = (vault: Vault | undefined) => Promise<Answer>

export const withStreams = async <Answer>(
  settings: Settings,
  work: Work<Answer>,
): Promise<Answer> => {
  const { streams, close } = await openStoreToRead(settings)
  try {
    if (!streams || !(await isVaultThere(streams))) return await work(undefined)
    const { DATA_DIR: folder } = settings
    // A command that only reads leaves no files in the log's directory, which may belong to another
    // user.
    const memory = hasKnownFile(folder) ? { folder } : {}
    const vault = await openVaultInStreams(streams, readVaultKeys(settings), undefined, memory)
    try {
      return await work(vault)
    } finally {
      await vault.close()
    }
  } finally {
    await close()
  }
}

/** Provides a command with the vault beside the log, if there is one; a copy may come without. */
export const withVaultBeside = async <Answer>(
  settings: Settings,
  work: Work<Answer>,
): Promise<Answer> => {
  if (isVaultInStreams(settings)) return withStreams(settings, work)
  const file = vaultIn(settings)
  if (!existsSync(file)) return work(undefined)
  const vault = openVault(file, undefined, readVaultKeys(settings))
  try {
    return await work(vault)
  } finally {
    await vault.close()
  }
}

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
