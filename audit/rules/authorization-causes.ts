import type { Causes } from '../../domain/causes.ts'
import { authorizationRequestLifetime } from '../../domain/people/authorization.ts'
import type { Authorization, AuthorizationCommand } from '../../domain/people/authorization.ts'
import type { AuthorizationEvent } from '../../domain/people/authorization-events.ts'

export const authorizationCauses: Causes<AuthorizationCommand, AuthorizationEvent, Authorization> =
  {
    AuthorizationRequested: ({ request, browserHash, qrHash, expiresAt }, { at }) => {
      // Recorded only after a payer has signed in.
      const startedAt = Math.min(at, expiresAt - authorizationRequestLifetime * 1000)
      return [{ type: 'RequestAuthorization', at: startedAt, request, browserHash, qrHash }]
    },
    AuthorizationAllowed: ({ payer, scope, signedInAt, channel, isStanding }, { at }) => {
      const answer = { payer, scope, signedInAt, channel, ...(isStanding && { isStanding }) }
      return [{ type: 'AllowAuthorization', at, ...answer }]
    },
    AuthorizationDenied: ({ payer }) => [{ type: 'DenyAuthorization', payer }],
    CodeIssued: ({ codeHash }, { at }) => [{ type: 'IssueCode', at, codeHash }],
    CodeRedeemed: ({ client, permissions }, { at, state }) => {
      if (state.status === 'unrequested' || !state.code) return 'no code was issued'
      // The code and verifier are not recorded, so the required ones are assumed.
      const { redirectUri, isRedirectUriGiven, codeChallenge } = state.request
      const { codeHash } = state.code
      const shown = {
        codeHash,
        redirectUri: isRedirectUriGiven ? redirectUri : null,
        codeChallenge,
      }
      return [{ type: 'RedeemCode', at, client, ...shown, tokens: permissions.tokens }]
    },
  }
