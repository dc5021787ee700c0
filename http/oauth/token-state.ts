import { z } from 'zod'
import type { LiveToken } from '../../application/grants.ts'
import type { Context } from '../../application/handle.ts'
import type { Revoker } from '../../domain/people/grant.ts'
import { formatScope } from '../../domain/people/scope.ts'
import type { Instant } from '../../domain/time.ts'
import type { Route } from '../route.ts'
import {
  clientEndpoint,
  clientParameters,
  contextOfClient,
  makeClientAccess,
  type ClientNeeds,
} from './client.ts'
import { OAuthError, requiredParameter } from './reply.ts'

type TokenStateNeeds = ClientNeeds & {
  readonly issuer: () => string
  /** The machine's time for an instant; the sandbox does not move it. */
  readonly machineTime: (at: Instant) => Promise<Instant>
  readonly revokeGrant: (grant: string, by: Revoker, context: Context) => Promise<void>
  readonly findLiveToken: (token: string, at: Instant) => Promise<LiveToken | undefined>
  readonly findLiveRefreshToken: (token: string, at: Instant) => Promise<LiveToken | undefined>
  /** The grant of any token, live or not. */
  readonly findGrantOf: (
    token: string,
  ) => Promise<Readonly<Record<'grant' | 'merchant' | 'client', string>> | undefined>
  readonly subjectOf: (payer: string, merchant: string) => string
}

const introspectionReply = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    token_type: z.enum(['Bearer', 'DPoP']).optional(),
    cnf: z.object({ jkt: z.string() }).optional().meta({ description: 'RFC 9449, 6.2.' }),
    exp: z.int().optional(),
    iat: z.int().optional(),
    sub: z.string().optional(),
    iss: z.string().optional(),
  })
  .meta({ id: 'OAuthIntrospection' })

const revocation = z.object({
  token: z.string().meta({
    description:
      'RFC 7009, 2.1: an access token or a refresh token; `token_type_hint` is not needed.',
  }),
  ...clientParameters,
})

const introspection = z.object({
  token: z.string().meta({
    description:
      'RFC 7662, 2.1: an access token or a refresh token; `token_type_hint` is not needed.',
  }),
  ...clientParameters,
})

export const tokenStateRoutes = (needs: TokenStateNeeds): Route[] => {
  const endpoint = clientEndpoint(makeClientAccess(needs))

  return [
    endpoint({
      path: '/oauth2/revoke',
      summary: 'Revoke a token, and with it the grant that it belongs to (RFC 7009)',
      description: 'A token that is not known is as good as revoked.',
      form: revocation,
      reply: z.object({}),
      refusals: ['invalid_request', 'invalid_grant'],
      mayBePublic: true,
      answer: async (client, form, call) => {
        const found = await needs.findGrantOf(requiredParameter(form, 'token'))
        // An unknown token counts as revoked (RFC 7009, 2.2); another client's is refused (2.1).
        if (!found) return {}
        if (found.client !== client.id)
          throw new OAuthError('invalid_grant', 'The token was issued to another client.')
        await needs.revokeGrant(found.grant, 'client', contextOfClient(call, client))
        return {}
      },
    }),
    endpoint({
      path: '/oauth2/introspect',
      summary: 'Whether a token is good, and for what (RFC 7662)',
      description:
        'Access tokens are told of to every client of the merchant, a refresh token to the one ' +
        'that holds it. A public client may not ask.',
      form: introspection,
      reply: introspectionReply,
      refusals: ['invalid_request'],
      mayBePublic: false,
      isSafe: true,
      answer: async (client, form, { at }) => {
        const token = requiredParameter(form, 'token')
        const access = await needs.findLiveToken(token, at)
        const live = access ?? (await needs.findLiveRefreshToken(token, at))
        const mayKnow = access ? access.merchant === client.merchant : live?.client === client.id
        if (!live || !mayKnow) return { active: false }
        return {
          active: true,
          ...(live.scope.length > 0 && { scope: formatScope(live.scope) }),
          client_id: live.client,
          ...(access && { token_type: access.jkt === null ? 'Bearer' : 'DPoP' }),
          ...(live.jkt !== null && { cnf: { jkt: live.jkt } }),
          exp: Math.floor((live.expiresAt - at + (await needs.machineTime(at))) / 1000),
          iat: Math.floor((await needs.machineTime(live.issuedAt)) / 1000),
          sub: needs.subjectOf(live.payer, live.merchant),
          iss: needs.issuer(),
        }
      },
    }),
  ]
}
