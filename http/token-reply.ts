import { z } from 'zod'
import type { ShownTokens } from '../application/show-tokens.ts'
import { grantedClaims } from './oauth/reply.ts'

/** Members of every AccessTokenResponse. */
export const tokenMembers = {
  access_token: z.string().nullable(),
  id_token: z.string().nullable(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().nullable().meta({ description: 'Seconds.' }),
  refresh_token: z.string().nullable(),
  scope: z.string().nullable().meta({ description: 'Space-delimited.' }),
}

/** All null when nothing is granted, or no longer. */
export const tokensView = (shown: ShownTokens | null) => ({
  access_token: shown && shown.accessToken,
  id_token: shown && shown.idToken,
  token_type: 'Bearer' as const,
  expires_in: shown && shown.expiresIn,
  refresh_token: shown && shown.refreshToken,
  // An empty scope is shown as null (RFC 6749, 3.3).
  scope: (shown && shown.scope) || null,
})

export const userInfoReply = grantedClaims
  .nullable()
  .meta({ description: 'Every claim of the granted scopes, as far as it is known.' })

/** For tokens without a permission request: no fee and no report line. */
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
