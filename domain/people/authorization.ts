import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { stillLasts, type Instant, type Seconds, instant } from '../time.ts'
import { type Permissions, permissions } from './grant.ts'
import { isPartOf, type Scope, scope } from './scope.ts'
import { z } from 'zod'

/** An authorization request (RFC 6749, 4.1.1). */
export const authorizationRequest = z.object({
  client: z.string(),
  merchant: z.string(),
  redirectUri: z.string(),
  /** If the request named the URI, the token request must too. */
  isRedirectUriGiven: z.boolean(),
  scope: z.array(scope),
  state: z.string().nullable(),
  nonce: z.string().nullable(),
  /** PKCE with S256 (RFC 7636). */
  codeChallenge: z.string().nullable(),
  /** Earliest accepted sign-in (`max_age`, `prompt=login`; OpenID Connect Core, 3.1.2.1). */
  signedInSince: instant.optional(),
  /** Only tokens bound to this key may be issued (RFC 9449, 10). */
  dpopJkt: z.string().optional(),
  /** Only this payer may answer (`id_token_hint`), by the `sub` the merchant knows. */
  subject: z.string().optional(),
})

export const authorizationEvents = {
  AuthorizationRequested: z.object({
    request: authorizationRequest,
    /** SHA-256 of the login cookie; only this browser returns to the application. */
    browserHash: z.string(),
    /** SHA-256 of the QR code's content. */
    qrHash: z.string(),
    expiresAt: instant,
  }),
  AuthorizationAllowed: z.object({
    payer: z.string(),
    /** Absent in old logs. */
    client: z.string().optional(),
    /** Covered by an earlier consent; the payer was not asked. */
    isStanding: z.literal(true).optional(),
    scope: z.array(scope),
    signedInAt: instant,
    /** Where the payer consented. */
    channel: z.enum(['browser', 'phone']),
  }),
  AuthorizationDenied: z.object({ payer: z.string() }),
  CodeIssued: z.object({ codeHash: z.string(), expiresAt: instant }),
  CodeRedeemed: z.object({ client: z.string(), payer: z.string(), permissions }),
} as const

export type AuthorizationRequest = z.output<typeof authorizationRequest>

export const isSignedInFor = (
  { signedInSince = -Infinity }: AuthorizationRequest,
  signedInAt: Instant,
): boolean => signedInAt >= signedInSince

export type AuthorizationEvent = EventsOf<typeof authorizationEvents>

export const authorizationRequestLifetime: Seconds = 600

/** Interface 11. */
const codeLifetime: Seconds = 60

export type AuthorizationCommand =
  | {
      readonly type: 'RequestAuthorization'
      readonly at: Instant
      readonly request: AuthorizationRequest
      readonly browserHash: string
      readonly qrHash: string
    }
  | {
      readonly type: 'AllowAuthorization'
      readonly at: Instant
      readonly payer: string
      readonly scope: readonly Scope[]
      readonly signedInAt: Instant
      readonly channel: 'browser' | 'phone'
      readonly isStanding?: true
    }
  | { readonly type: 'DenyAuthorization'; readonly payer: string }
  | { readonly type: 'IssueCode'; readonly at: Instant; readonly codeHash: string }
  | {
      readonly type: 'RedeemCode'
      readonly at: Instant
      readonly codeHash: string
      readonly client: string
      readonly redirectUri: string | null
      /** Challenge computed from the verifier; null without a verifier. */
      readonly codeChallenge: string | null
      readonly tokens: Permissions['tokens']
    }

export type RequestedAuthorization = {
  readonly status: 'requested' | 'allowed' | 'denied'
  readonly request: AuthorizationRequest
  readonly browserHash: string
  readonly qrHash: string
  readonly expiresAt: Instant
  readonly payer: string | null
  readonly scope: readonly Scope[]
  readonly signedInAt: Instant | null
  readonly code: { readonly codeHash: string; readonly expiresAt: Instant } | null
  readonly permissions: Permissions | null
}

export type Authorization = RequestedAuthorization | { readonly status: 'unrequested' }

const requested = (authorization: Authorization): RequestedAuthorization =>
  authorization.status === 'unrequested' ? refuse('resource_is_unknown') : authorization

const unanswered = (authorization: Authorization, at: Instant): RequestedAuthorization => {
  const known = requested(authorization)
  if (known.status !== 'requested') return refuse('authorization_is_answered')
  return at < known.expiresAt ? known : refuse('authorization_is_expired')
}

/** Whether the same payer already gave the same answer. */
const isAnswered = (
  authorization: Authorization,
  status: 'allowed' | 'denied',
  payer: string,
  scope: readonly Scope[],
): boolean =>
  authorization.status === status &&
  authorization.payer === payer &&
  isPartOf(scope, authorization.scope) &&
  isPartOf(authorization.scope, scope)

const decideRedemption = (
  command: Extract<AuthorizationCommand, { type: 'RedeemCode' }>,
  { request, code, payer, scope, permissions }: RequestedAuthorization,
): readonly AuthorizationEvent[] => {
  const { at, client, redirectUri, codeChallenge, tokens } = command
  if (code?.codeHash !== command.codeHash || payer === null) return refuse('code_is_invalid')
  if (client !== request.client) return refuse('code_is_invalid')
  if (redirectUri === null ? request.isRedirectUriGiven : redirectUri !== request.redirectUri)
    return refuse('code_is_invalid')
  // A verifier without a challenge is a downgrade attack, like a challenge without a verifier.
  if (codeChallenge !== request.codeChallenge) return refuse('code_is_invalid')
  if (request.dpopJkt !== undefined && request.dpopJkt !== tokens.jkt)
    return refuse('code_is_invalid')
  // Checked last: a reused code revokes its tokens, so knowing the code alone must not suffice.
  if (permissions !== null) return refuse('code_is_used')
  if (!stillLasts(code.expiresAt, codeLifetime, at)) return refuse('code_is_invalid')
  const granted = { scope: [...scope], tokens }
  return [{ type: 'CodeRedeemed', data: { client, payer, permissions: granted } }]
}

/** One authorization: requested, answered by a payer, exchanged for tokens. */
export const authorization: Decider<AuthorizationCommand, AuthorizationEvent, Authorization> = {
  initial: { status: 'unrequested' },
  decide(command, authorization) {
    switch (command.type) {
      case 'RequestAuthorization': {
        if (authorization.status !== 'unrequested') return []
        const { at, request, browserHash, qrHash } = command
        const expiresAt = at + authorizationRequestLifetime * 1000
        const data = { request, browserHash, qrHash, expiresAt }
        return [{ type: 'AuthorizationRequested', data }]
      }
      case 'AllowAuthorization': {
        const { payer, scope, signedInAt, channel, isStanding } = command
        if (isAnswered(authorization, 'allowed', payer, scope)) return []
        const { request } = unanswered(authorization, command.at)
        if (!isSignedInFor(request, signedInAt)) return refuse('sign_in_is_too_old')
        if (!isPartOf(scope, request.scope)) return refuse('scope_is_too_wide')
        const { client } = request
        const allowed = { payer, client, scope: [...scope], signedInAt, channel }
        const data = isStanding ? { ...allowed, isStanding } : allowed
        return [{ type: 'AuthorizationAllowed', data }]
      }
      case 'DenyAuthorization': {
        const { payer } = command
        if (isAnswered(authorization, 'denied', payer, [])) return []
        // Also allowed after expiry: the application is notified and gains nothing.
        if (requested(authorization).status !== 'requested')
          return refuse('authorization_is_answered')
        return [{ type: 'AuthorizationDenied', data: { payer } }]
      }
      case 'IssueCode': {
        const { status, code, expiresAt: endsAt } = requested(authorization)
        const { codeHash, at } = command
        if (status !== 'allowed') return refuse('authorization_is_not_allowed')
        // An expired code is not issued again: the application could not redeem it.
        if (code !== null && at < code.expiresAt) return []
        if (code !== null || at >= endsAt) return refuse('authorization_is_expired')
        const expiresAt = at + codeLifetime * 1000
        return [{ type: 'CodeIssued', data: { codeHash, expiresAt } }]
      }
      case 'RedeemCode':
        return decideRedemption(command, requested(authorization))
    }
  },
  evolve(authorization, event) {
    if (event.type === 'AuthorizationRequested') {
      const { request, browserHash, qrHash, expiresAt } = event.data
      const nothingYet = { payer: null, scope: [], signedInAt: null, code: null, permissions: null }
      return { status: 'requested', request, browserHash, qrHash, expiresAt, ...nothingYet }
    }
    if (authorization.status === 'unrequested') return authorization
    switch (event.type) {
      case 'AuthorizationAllowed': {
        const { payer, scope, signedInAt } = event.data
        return { ...authorization, status: 'allowed', payer, scope, signedInAt }
      }
      case 'AuthorizationDenied':
        return { ...authorization, status: 'denied', payer: event.data.payer }
      case 'CodeIssued':
        return { ...authorization, code: event.data }
      case 'CodeRedeemed':
        return { ...authorization, permissions: event.data.permissions }
    }
  },
}
