import type { Find } from '../../application/find-state.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { OtherStreams } from '../../infrastructure/event-store/eventstoredb-writer.ts'
import type { usesOf } from '../../infrastructure/logs/outages.ts'
import { makeDerivation, makeTokens } from '../../infrastructure/people/id-tokens.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import type { Queries } from '../../projections/read-models.ts'
import { payerDirectory } from './payer-directory.ts'
import { existsSync } from 'node:fs'
import { installations } from '../../domain/aggregates.ts'
import { isVaultInStreams, usedIn, vaultIn } from '../../infrastructure/stores.ts'
import { isVaultThere } from '../../infrastructure/vault-streams/key-pages.ts'
import { usedInStream } from '../../infrastructure/vault-streams/used-once.ts'
import {
  openVaultInStreams,
  vaultInStreamsLabel,
} from '../../infrastructure/vault-streams/vault.ts'
import { usedOnce, type UsedOnce } from '../../infrastructure/people/used-once.ts'
import { readVaultKeys } from '../../infrastructure/people/vault-wrapping.ts'
import { type Vault, WrongVault } from '../../infrastructure/people/vault-port.ts'
import { openVault } from '../../infrastructure/people/vault.ts'

type Needs = {
  readonly find: Find
  readonly handle: Handle
  readonly context: Context
  /** Defined if the log is in EventStoreDB. */
  readonly streams: OtherStreams | undefined
  readonly queries: Queries
  readonly caughtUp: () => Promise<void>
  readonly uses: ReturnType<typeof usesOf>
}

/** The place of the configured vault. */
const placeOf = ({ streams, uses }: Needs, settings: Settings) => {
  const keys = readVaultKeys(settings)
  if (isVaultInStreams(settings) && streams)
    return {
      shown: vaultInStreamsLabel,
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
const openOwnVault = async (needs: Needs, settings: Settings): Promise<Vault> => {
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
const openUsed = (streams: OtherStreams | undefined, settings: Settings, key: string): UsedOnce =>
  isVaultInStreams(settings) && streams
    ? usedInStream(streams, key)
    : usedOnce(usedIn(settings), key)

/** The vault's secrets, and the directory of people. */
export const openPeople = async (needs: Needs, settings: Settings) => {
  const { find, streams, queries, caughtUp } = needs
  const vault = await openOwnVault(needs, settings)
  const derive = makeDerivation(vault)
  const tokens = makeTokens(derive)
  const { scans } = queries.merchants
  const findScan = (token: string) => scans.byToken(tokens.scanTokenDigest(token))
  const rows = queries.people.grants
  return {
    vault,
    derive,
    tokens,
    findScan,
    payerDirectory: payerDirectory({ find, vault, tokens, rows, findScan, caughtUp }),
    used: openUsed(streams, settings, derive('used')),
  }
}
