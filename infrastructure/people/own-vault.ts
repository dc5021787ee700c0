import { existsSync } from 'node:fs'
import { installations } from '../../domain/aggregates.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { Find } from '../../application/find-state.ts'
import type { OtherStreams } from '../event-store/eventstoredb-writer.ts'
import type { Settings } from '../settings.ts'
import { isVaultInStreams, usedIn, vaultIn } from '../stores.ts'
import { isVaultThere } from '../vault-streams/key-pages.ts'
import { usedInStream } from '../vault-streams/used-once.ts'
import { openVaultInStreams, vaultInStreamsShown } from '../vault-streams/vault.ts'
import { usedOnce, type UsedOnce } from './used-once.ts'
import { readVaultKeys } from './vault-wrapping.ts'
import { type Vault, WrongVault } from './vault-port.ts'
import { openVault } from './vault.ts'

type Needs = {
  readonly find: Find
  readonly handle: Handle
  readonly context: Context
  /** Defined if the log is in EventStoreDB. */
  readonly streams: OtherStreams | undefined
  readonly uses: Parameters<typeof openVault>[1]
}

/** The place of the configured vault. */
const placeOf = ({ streams, uses }: Needs, settings: Settings) => {
  const keys = readVaultKeys(settings)
  if (isVaultInStreams(settings) && streams)
    return {
      shown: vaultInStreamsShown,
      isThere: () => isVaultThere(streams),
      open: () => openVaultInStreams(streams, keys, uses, { folder: settings.DATA_DIR }),
    }
  const file = vaultIn(settings)
  return {
    shown: file,
    isThere: async () => existsSync(file),
    open: async () => openVault(file, uses, keys),
  }
}

/** Opens this log's vault; the first one opened is bound to the log. @throws WrongVault */
export const openOwnVault = async (needs: Needs, settings: Settings): Promise<Vault> => {
  const { find, handle, context } = needs
  const { shown, isThere, open } = placeOf(needs, settings)
  const { vault: chosen } = await find(installations, 'daybook')
  // A missing vault must be restored, not replaced by a new one.
  if (chosen !== null && !(await isThere()))
    throw new WrongVault(shown, 'is missing: it should be the vault that this log is sealed with')
  const vault = await open()
  const choice = { type: 'ChooseVault', vault: vault.name } as const
  const { state } = await handle(installations, 'daybook', choice, context)
  if (state.vault !== vault.name) throw new WrongVault(shown)
  return vault
}

/** One-time uses are stored with the vault, which all nodes share. */
export const openUsed = (
  streams: OtherStreams | undefined,
  settings: Settings,
  key: string,
): UsedOnce =>
  isVaultInStreams(settings) && streams
    ? usedInStream(streams, key)
    : usedOnce(usedIn(settings), key)
