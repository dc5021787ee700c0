import { z } from 'zod'
import type { EventsOf } from '../decider.ts'
import { instant, type Instant } from '../time.ts'
import { permissions } from './grant.ts'
import { scope } from './scope.ts'

/** An authorization request (RFC 6749, 4.1.1). */
const authorizationRequest = z.object({
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
