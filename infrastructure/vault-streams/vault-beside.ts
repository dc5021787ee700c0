import { existsSync } from 'node:fs'
import { readVaultKeys } from '../people/vault-keys.ts'
import type { Vault } from '../people/vault-port.ts'
import { openVault } from '../people/vault.ts'
import type { Settings } from '../settings.ts'
import { isVaultInStreams, openStoreToRead, vaultIn } from '../stores.ts'
import { hasKnownFile } from './known-file.ts'
import { isVaultThere } from './master.ts'
import { openVaultInStreams } from './vault.ts'

type Work<Answer> = (vault: Vault | undefined) => Promise<Answer>

const withStreams = async <Answer>(settings: Settings, work: Work<Answer>): Promise<Answer> => {
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
