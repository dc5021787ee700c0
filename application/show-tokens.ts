import type { Permissions } from '../domain/people/grant.ts'
import type { Profile } from '../domain/people/profile.ts'
import { formatScope } from '../domain/people/scope.ts'
import { secondsUntil, type Instant } from '../domain/time.ts'
import { revealClaims, grantedClaims, type GrantedClaims } from './claims.ts'
import type { Tokens } from './tokens.ts'
import type { AsOf } from './find-state.ts'

export type TokensView = {
  readonly accessToken: string
  readonly refreshToken: string
  readonly idToken: string | null
  /** Remaining seconds of the access token, rounded up. */
  readonly expiresIn: number
  readonly scope: string
  /** Null if no scope reveals claims or the payer is erased. */
  readonly userInfo: GrantedClaims | null
}

type Needs = {
  readonly tokens: Tokens
  readonly findProfile: (payer: string, asOf?: AsOf) => Promise<Profile | undefined>
  /** Different for each merchant, so that merchants cannot link a payer. */
  readonly subjectOf: (payer: string, merchant: string) => string
  readonly signIdToken: (claims: {
    readonly subject: string
    readonly audience: string
    readonly accessToken: string
    readonly issuedAt: Instant
    readonly nonce: string | null
    readonly signedInAt: Instant | null
  }) => Promise<string>
}

export type Granted = {
  readonly grant: string
  readonly generation: number
  readonly payer: string
  readonly merchant: string
  readonly client: string
  readonly permissions: Permissions
  readonly nonce?: string | null
  readonly signedInAt?: Instant | null
}

/** Derives the tokens of a grant again, with the payer's data as of that time. */
export const showTokens =
  ({ tokens, findProfile, subjectOf, signIdToken }: Needs) =>
  async (granted: Granted, at: Instant, asOf?: AsOf): Promise<TokensView> => {
    const { grant, generation, payer, merchant, client: audience } = granted
    const { scope, tokens: issued } = granted.permissions
    const { issuedAt, expiresAt } = issued
    const subject = subjectOf(payer, merchant)
    const isOpenId = scope.includes('openid')
    const profile = revealClaims(scope) ? await findProfile(payer, asOf) : undefined
    const accessToken = tokens.access(grant, generation)
    const { nonce = null, signedInAt = null } = granted
    const claims = { subject, audience, accessToken, issuedAt, nonce, signedInAt }
    return {
      accessToken,
      refreshToken: tokens.refresh(grant, generation),
      idToken: isOpenId ? await signIdToken(claims) : null,
      expiresIn: Math.max(0, secondsUntil(expiresAt, at)),
      scope: formatScope(scope),
      userInfo: profile ? grantedClaims(subject, profile, scope) : null,
    }
  }

export type ShowTokens = ReturnType<typeof showTokens>
