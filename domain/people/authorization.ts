import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { stillLasts, type Instant, type Seconds } from '../time.ts'
import { permissions, type Permissions } from './grant.ts'
import { isPartOf, scope, type Scope } from './scope.ts'

const authorizationRequestLifetime: Seconds = 600
/** Codes live 60 seconds and work once (interface 11). */
const codeLifetime: Seconds = 60

/** What an application asks for at the authorization endpoint (RFC 6749, 4.1.1). */
const authorizationRequest = z.object({
  client: z.string(),
  merchant: z.string(),
  /** Where the answer goes. */
  redirectUri: z.string(),
  /** Whether the request named it: then the token request must, too. */
  isRedirectUriGiven: z.boolean(),
  scope: z.array(scope),
  state: z.string().nullable(),
  nonce: z.string().nullable(),
  /** PKCE, always S256 (RFC 7636). */
  codeChallenge: z.string().nullable(),
  /** The payer must have signed in at this time or later (`max_age` and `prompt=login` of OpenID Connect Core, 3.1.2.1). */
  signedInSince: z.int().optional(),
  /** The only payer who may answer, by the `sub` that the merchant knows (`id_token_hint`, 3.1.2.1). */
  subject: z.string().optional(),
})

export const authorizationEvents = {
  AuthorizationRequested: z.object({
    request: authorizationRequest,
    /** SHA-256 of the login cookie: only this browser is sent back to the application. */
    browserHash: z.string(),
    /** SHA-256 of what the QR code says. */
    qrHash: z.string(),
    expiresAt: z.int(),
  }),
  AuthorizationAllowed: z.object({
    payer: z.string(),
    /** Logs of before do not say it. */
    client: z.string().optional(),
    /** An earlier consent covers it: the payer was not asked. */
    isStanding: z.literal(true).optional(),
    scope: z.array(scope),
    signedInAt: z.int(),
    /** The screen on which the payer consented. */
    channel: z.enum(['browser', 'phone']),
  }),
  AuthorizationDenied: z.object({ payer: z.string() }),
  CodeIssued: z.object({ codeHash: z.string(), expiresAt: z.int() }),
  CodeRedeemed: z.object({ client: z.string(), payer: z.string(), permissions }),
} as const

export type AuthorizationRequest = z.output<typeof authorizationRequest>

/** Whether who signed in at that time need not do so again for this request. */
export const isSignedInFor = (
  { signedInSince = -Infinity }: AuthorizationRequest,
  signedInAt: Instant,
): boolean => signedInAt >= signedInSince

export type AuthorizationEvent = EventsOf<typeof authorizationEvents>

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
      /** Whether an earlier consent covers it, so that the payer is not asked. */
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
      /** The code challenge that the verifier answers to; null when none was sent. */
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

/** Whether this payer has given this very answer already. */
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
  // A verifier without a challenge is an attacker's downgrade, as a challenge without a verifier is.
  if (codeChallenge !== request.codeChallenge) return refuse('code_is_invalid')
  // Only now: a spent code makes its tokens void, and whoever has the code alone must not be able to do that.
  if (permissions !== null) return refuse('code_is_used')
  if (!stillLasts(code.expiresAt, codeLifetime, at)) return refuse('code_is_invalid')
  const granted = { scope: [...scope], tokens }
  return [{ type: 'CodeRedeemed', data: { client, payer, permissions: granted } }]
}

/** One pass through the authorization endpoint: asked, answered by a payer, and turned into tokens by a code. */
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
        const given = { payer, client, scope: [...scope], signedInAt, channel }
        const data = isStanding ? { ...given, isStanding } : given
        return [{ type: 'AuthorizationAllowed', data }]
      }
      case 'DenyAuthorization': {
        const { payer } = command
        if (isAnswered(authorization, 'denied', payer, [])) return []
        // However late: the application hears of it, and nothing is given.
        if (requested(authorization).status !== 'requested')
          return refuse('authorization_is_answered')
        return [{ type: 'AuthorizationDenied', data: { payer } }]
      }
      case 'IssueCode': {
        const { status, code, expiresAt: endsAt } = requested(authorization)
        const { codeHash, at } = command
        if (status !== 'allowed') return refuse('authorization_is_not_allowed')
        // A code that is over would be sent back to an application that can only be refused with it.
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
