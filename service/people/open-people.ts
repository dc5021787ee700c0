import type { Find } from '../../application/find-state.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { OtherStreams } from '../../infrastructure/event-store/eventstoredb-writer.ts'
import type { usesOf } from '../../infrastructure/logs/outages.ts'
import { openOwnVault, openUsed } from '../../infrastructure/people/own-vault.ts'
import { makeDerivation, makeTokens } from '../../infrastructure/people/id-tokens.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import type { Queries } from '../../projections/read-models.ts'
import { payerDirectory } from './payer-directory.ts'

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

/** The vault's secrets, and the directory of people. */
export const openPeople = async (
  { find, handle, context, streams, queries, caughtUp, uses }: Needs,
  settings: Settings,
) => {
  const vault = await openOwnVault({ find, handle, context, streams, uses }, settings)
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
