import type { OpenLog } from '../../infrastructure/event-store/open-log.ts'
import type { usesOf } from '../../infrastructure/logs/outages.ts'
import type { followLog } from '../../infrastructure/read-models/follow-log.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { openOwnVault, openUsed } from '../../infrastructure/people/own-vault.ts'
import { payerDirectory } from './payer-directory.ts'
import { makeDerivation, makeTokens } from '../../infrastructure/people/tokens.ts'

/** The vault's secrets, and the directory of people. */
export const openPeople = async (
  { find, handle, contextOf, streams }: OpenLog,
  { queries, readModels: { caughtUp } }: Awaited<ReturnType<typeof followLog>>,
  settings: Settings,
  uses: ReturnType<typeof usesOf>,
) => {
  const needs = { find, handle, context: contextOf('daybook'), streams, uses }
  const vault = await openOwnVault(needs, settings)
  const derive = makeDerivation(vault)
  const tokens = makeTokens(derive)
  const findScan = (token: string) => queries.merchants.scans.byToken(tokens.scanTokenDigest(token))
  const rows = queries.people.grants
  const payers = payerDirectory({ find, vault, tokens, rows, findScan, caughtUp })
  const used = openUsed(streams, settings, derive('used'))
  return { ...queries.people, vault, used, derive, tokens, findScan, payers }
}
