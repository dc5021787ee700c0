import { grants } from '../domain/aggregates.ts'
import type { Revoker } from '../domain/people/grant.ts'
import type { Position } from './event-store.ts'
import type { Needs, PlacedGrant } from './grants.ts'
import type { Context } from './handle.ts'

export const revokeGrant =
  ({ handle, rows, caughtUp }: Pick<Needs, 'handle' | 'rows' | 'caughtUp'>) =>
  async (grant: string, by: Revoker, context: Context): Promise<void> => {
    await caughtUp()
    const merchant = rows.find(grant)?.merchant ?? context.merchant
    await handle(grants, grant, { type: 'RevokeGrant', by }, { ...context, merchant })
  }

const batchSize = 100

type WithdrawalNeeds = Pick<Needs, 'handle' | 'rows' | 'caughtUp'>

/** Revokes all listed grants. */
const withdrawEach = async (
  needs: WithdrawalNeeds,
  list: (before: Position, limit: number) => readonly PlacedGrant[],
  by: Revoker,
  context: Context,
): Promise<void> => {
  await needs.caughtUp()
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const batch = list(before, batchSize)
    await Promise.all(batch.map(({ grant }) => revokeGrant(needs)(grant, by, context)))
    if (batch.length < batchSize) return
    before = batch.at(-1)?.position ?? before
  }
}

/** Revokes every grant of a payer to one client. */
export const withdrawConsent =
  (needs: WithdrawalNeeds) =>
  (payer: string, client: string, context: Context): Promise<void> =>
    withdrawEach(
      needs,
      (before, limit) => needs.rows.ofClient(payer, client, before, limit),
      'payer',
      context,
    )

/** Revokes every grant of a payer. */
export const withdrawAll =
  (needs: WithdrawalNeeds) =>
  (payer: string, context: Context): Promise<void> =>
    withdrawEach(
      needs,
      (before, limit) => needs.rows.ofPayer(payer, before, limit),
      'operator',
      context,
    )
