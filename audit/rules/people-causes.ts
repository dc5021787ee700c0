import type { Causes, Given } from './causes.ts'
import {
  authorizationRequestLifetime,
  type Authorization,
  type AuthorizationCommand,
} from '../../domain/people/authorization.ts'
import type { AuthorizationEvent } from '../../domain/people/authorization-events.ts'
import type { EventsOf } from '../../domain/decider.ts'
import type { grant, grantEvents } from '../../domain/people/grant.ts'
import type { permission, PermissionEvent } from '../../domain/people/permission.ts'

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

export type GrantCommand = Parameters<(typeof grant)['decide']>[0]

export type GrantState = (typeof grant)['initial']

export const grantCauses: Causes<GrantCommand, EventsOf<typeof grantEvents>, GrantState> = {
  GrantRefreshed: ({ generation, scope, tokens }, { id, at, facts }) => {
    const granted = facts.grantedBy(id)
    if (!granted) return 'nothing was granted there'
    const asked = { granted, presented: generation - 1, scope, next: tokens }
    return [{ type: 'RefreshGrant', at, ...asked }]
  },
  GrantRevoked: ({ by }) => [{ type: 'RevokeGrant', by }],
}

export type PermissionCommand = Parameters<(typeof permission)['decide']>[0]

export type PermissionState = (typeof permission)['initial']

export const termsOf = ({ state, facts }: Given<PermissionEvent, PermissionState>) =>
  state.status === 'unrequested' ? [] : facts.termsOf(state.request.merchant, state.currency)

export const permissionCauses: Causes<PermissionCommand, PermissionEvent, PermissionState> = {
  PermissionRequested: ({ request, payer }, { id, at, facts }) => {
    const { merchant, posId, posTid } = request
    if (facts.ridOf(merchant, posId, posTid) !== id) return 'the request is not that of its pos_tid'
    const posIsKnown = facts.posIsKnown(merchant, posId)
    const currency = facts.currencyOf(merchant)
    if (currency === undefined) return `there is no merchant ${merchant}`
    const known = { payer, posIsKnown, currency }
    return [{ type: 'RequestPermission', at, request, facts: known }]
  },
  PermissionGranted: ({ payer, permissions }, given) =>
    termsOf(given).map((terms) => {
      const answer = { payer, permissions, terms }
      return { type: 'GrantPermission', at: given.at, ...answer }
    }),
  PermissionDeclined: ({ payer }, given) =>
    termsOf(given).map((terms) => ({ type: 'DeclinePermission', at: given.at, payer, terms })),
  PermissionFailed: () => 'only a request fails because the customer is unknown, at once',
  PermissionExpired: (_, { at }) => [{ type: 'ExpirePermission', at }],
}
