import { existsSync } from 'node:fs'
import { readVaultKeys } from '../people/vault-keys.ts'
import type { Vault } from '../people/vault-port.ts'
import { openVault } from '../people/vault.ts'
import type { Settings } from '../settings.ts'
import { vaultIn } from '../stores.ts'

/** Lets a command use the vault, if there is one beside the log: a copy may come without. */
export const withVaultBeside = async <Answer>(
  settings: Settings,
  work: (vault: Vault | undefined) => Promise<Answer>,
): Promise<Answer> => {
  const file = vaultIn(settings)
  if (!existsSync(file)) return work(undefined)
  const vault = openVault(file, undefined, readVaultKeys(settings))
  try {
    return await work(vault)
  } finally {
    await vault.close()
  }
}
