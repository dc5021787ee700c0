import { existsSync } from 'node:fs'
import { installations } from '../../domain/aggregates.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { Find } from '../../application/find-state.ts'
import type { Settings } from '../settings.ts'
import { vaultIn } from '../stores.ts'
import { readVaultKeys } from './vault-keys.ts'
import type { Vault } from './vault-port.ts'
import { openVault, WrongVault } from './vault.ts'

type Needs = {
  readonly find: Find
  readonly handle: Handle
  readonly context: Context
  readonly uses: Parameters<typeof openVault>[1]
}

/** Opens the vault of this log; the first one opened becomes it. @throws WrongVault */
export const openOwnVault = async (
  { find, handle, context, uses }: Needs,
  settings: Settings,
): Promise<Vault> => {
  const file = vaultIn(settings)
  const { vault: chosen } = await find(installations, 'daybook')
  // A missing vault must be restored, not replaced by a new one.
  if (chosen !== null && !existsSync(file))
    throw new WrongVault(file, 'is missing: it should be the vault')
  const vault = openVault(file, uses, readVaultKeys(settings))
  const choice = { type: 'ChooseVault', vault: vault.name } as const
  const { state } = await handle(installations, 'daybook', choice, context)
  if (state.vault !== vault.name) throw new WrongVault(file)
  return vault
}
