import type { AuthorizationRequest } from '../domain/people/authorization.ts'
import { isWithdrawal, type Permissions } from '../domain/people/grant.ts'
import { Refusal, refuse } from '../domain/refusal.ts'
import { streamOf } from '../domain/stream.ts'
import { authorizations, grants, payers } from '../domain/aggregates.ts'
import {
  findGrantOf,
  findLiveRefreshToken,
  findLiveToken,
  refreshGrant,
  type Needs,
  revokeGrant,
  withdrawConsent,
} from './grants.ts'
import { issueTokens } from './tokens.ts'
import type { Context } from './handle.ts'

type Redeemed = {
  readonly grant: string
  readonly payer: string
  readonly request: AuthorizationRequest
  readonly signedInAt: number
  readonly permissions: Permissions
}

type Code = {
  readonly code: string
  readonly client: string
  readonly redirectUri: string | null
  readonly codeChallenge: string | null
  /** Thumbprint of the key the client proved. */
  readonly jkt: string | undefined
}

/** A code starts with the id of its authorization. */
const authorizationOf = (code: string): string | undefined =>
  /^([0-9a-f]{32})[\w-]{43}$/.exec(code)?.[1]

/**
 * Exchanges a code for tokens. A code used twice has two holders, so its tokens are revoked (RFC
 * 6749, 4.1.2). @throws Refusal code_is_invalid, code_is_used
 */
export const redeemCode =
  (needs: Needs) =>
  async (
    { code, client, redirectUri, codeChallenge, jkt }: Code,
    context: Context,
  ): Promise<Redeemed> => {
    const { handle, find, tokens, caughtUp } = needs
    const id = authorizationOf(code) ?? refuse('code_is_invalid')
    const grant = streamOf(authorizations, id)
    const { at } = context
    const codeHash = tokens.digest(code)
    const command = {
      type: 'RedeemCode',
      at,
      codeHash,
      client,
      redirectUri,
      codeChallenge,
    } as const
    try {
      const issued = issueTokens(tokens, grant, 0, at, jkt)
      const { state } = await handle(authorizations, id, { ...command, tokens: issued }, context)
      if (state.status === 'unrequested' || !state.permissions || state.payer === null)
        return refuse('code_is_invalid')
      const { request, payer, permissions, signedInAt } = state
      await caughtUp()
      const { revokedBy } = await find(grants, grant, 'log')
      if (revokedBy !== null && isWithdrawal(revokedBy)) return refuse('code_is_invalid')
      // Erased payers must not appear in ID tokens.
      if ((await find(payers, payer)).status !== 'present') return refuse('code_is_invalid')
      return { grant, payer, request, permissions, signedInAt: signedInAt ?? at }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'code_is_used') await revokeGrant(needs)(grant, 'code_reuse', context)
      return refuse(error.code === 'code_is_used' ? 'code_is_used' : 'code_is_invalid')
    }
  }

/** Everything about codes, grants and their tokens. */
export const authorizationsOf = (needs: Needs) => ({
  redeemCode: redeemCode(needs),
  refreshGrant: refreshGrant(needs),
  revokeGrant: revokeGrant(needs),
  withdrawConsent: withdrawConsent(needs),
  findLiveToken: findLiveToken(needs),
  findLiveRefreshToken: findLiveRefreshToken(needs),
  findGrantOf: findGrantOf(needs),
})
