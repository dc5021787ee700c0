import { z } from 'zod'
import type { ShownTokens } from '../application/show-tokens.ts'
import { grantedClaims } from './oauth/claims-reply.ts'

/** The members that the interface gives every answer with tokens (AccessTokenResponse). */
export const tokenMembers = {
  access_token: z.string().nullable(),
  id_token: z.string().nullable(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().nullable().meta({ description: 'Seconds.' }),
  refresh_token: z.string().nullable(),
  scope: z.string().nullable().meta({ description: 'Space-delimited.' }),
}

/** Nothing is shown when nothing was granted, or no longer. */
export const tokensView = (shown: ShownTokens | null) => ({
  access_token: shown && shown.accessToken,
  id_token: shown && shown.idToken,
  token_type: 'Bearer' as const,
  expires_in: shown && shown.expiresIn,
  refresh_token: shown && shown.refreshToken,
  // A scope of nothing is none (RFC 6749, 3.3: at least one).
  scope: (shown && shown.scope) || null,
})

export const userInfoReply = grantedClaims
  .nullable()
  .meta({ description: 'Every claim of the granted scopes, as far as it is known.' })

/** Only a permission request has a fee, and stands in a report: not what was granted along with a payment, or to an application. */
export const free = { currency: null, fee: '0.00', report_id: null } as const

export const grantedPermissionsReply = z
  .object({
    ...tokenMembers,
    currency: z.null(),
    fee: z.literal(free.fee),
    report_id: z.null(),
    user_info: userInfoReply,
  })
  .meta({ id: 'GrantedPermissions' })

export const grantedPermissionsView = (shown: ShownTokens | null) =>
  shown && { ...tokensView(shown), ...free, user_info: shown.userInfo }
