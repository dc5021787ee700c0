import { z } from 'zod'
import type { Redeemed } from '../application/authorize.ts'
import type { LiveToken, Refreshed } from '../application/grants.ts'
import type { Context } from '../application/handle.ts'
import type { Granted, ShownTokens } from '../application/show-tokens.ts'
import type { Revoker } from '../domain/grant.ts'
import { Refusal, type RefusalCode } from '../domain/refusal.ts'
import { formatScope, parseScope, type Scope } from '../domain/scope.ts'
import type { Instant } from '../domain/time.ts'
import { makeClientAccess, type Client, type ClientNeeds } from './oauth-client.ts'
import { oauthAnswer, OAuthError, oauthErrors, oauthJson } from './oauth-reply.ts'
import { route, type Call, type Route } from './route.ts'
import { tokenMembers, tokensView } from './token-reply.ts'

export type TokenNeeds = ClientNeeds & {
  readonly issuer: () => string
  readonly redeemCode: (
    code: {
      readonly code: string
      readonly client: string
      readonly redirectUri: string | null
      readonly verified: string | null
    },
    context: Context,
  ) => Promise<Redeemed>
  readonly refreshGrant: (
    refreshToken: string,
    client: string,
    scope: readonly Scope[] | null,
    context: Context,
  ) => Promise<Refreshed>
  readonly revokeGrant: (grant: string, by: Revoker, context: Context) => Promise<void>
  readonly showTokens: (granted: Granted, at: Instant) => Promise<ShownTokens>
  readonly findLiveToken: (token: string, at: Instant) => Promise<LiveToken | undefined>
  /** The grant of a token of either kind, live or not. */
  readonly findGrantOf: (token: string) => Promise<
    | {
        readonly grant: string
        readonly merchant: string
        readonly client: string
      }
    | undefined
  >
  /** The S256 code challenge of a verifier (RFC 7636, 4.6). */
  readonly challengeOf: (verifier: string) => string
  readonly subjectOf: (payer: string, merchant: string) => string
}

const group = 'OAuth'
const jsonTypes = ['application/json']
const refusals = { 400: 'Refused, in the words of RFC 6749, 5.2.' }

const tokenReply = z
  .object({
    ...tokenMembers,
    access_token: z.string(),
    id_token: z.string().optional().meta({ description: 'With the scope `openid`.' }),
    fee: z.string(),
    state: z.string().optional(),
  })
  .meta({ id: 'OAuthTokens' })

const introspectionReply = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    token_type: z.literal('Bearer').optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
    sub: z.string().optional(),
    iss: z.string().optional(),
  })
  .meta({ id: 'OAuthIntrospection' })

/** Whatever fields came: OAuth has errors of its own for them. */
const anyForm = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
type Fields = z.output<typeof anyForm>

/** RFC 6749, 3.2: no parameter more than once, and one without a value is as good as none. */
const field = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  if (Array.isArray(value)) throw new OAuthError('invalid_request', `${name} is repeated.`)
  return value === '' ? undefined : value
}

const required = (fields: Fields, name: string): string => {
  const value = field(fields, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

const grantErrors: Partial<Record<RefusalCode, readonly [string, string]>> = {
  code_is_invalid: ['invalid_grant', 'The code is unknown, expired, or does not fit the request.'],
  code_is_used: ['invalid_grant', 'The code has been used; what it gave is revoked.'],
  grant_is_revoked: ['invalid_grant', 'The refresh token is unknown, used up or revoked.'],
  grant_is_expired: ['invalid_grant', 'The refresh token has expired.'],
  scope_is_too_wide: ['invalid_scope', 'More than what was granted.'],
}

const withGrantErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    const [code, text] = (error instanceof Refusal && grantErrors[error.code]) || []
    if (code === undefined || text === undefined) throw error
    throw new OAuthError(code, text)
  }
}

/** Tokens for codes and for refresh tokens, their revocation and their introspection. */
export const tokenRoutes = (needs: TokenNeeds): Route[] => {
  const clientOf = makeClientAccess(needs)

  const contextOf = (
    { at, requestId: correlationId }: Call,
    { id, merchant }: Client,
  ): Context => ({
    at,
    merchant,
    actor: `client:${id}`,
    correlationId,
  })

  const byCode = async (fields: Fields, client: Client, call: Call): Promise<Granted> => {
    const verifier = field(fields, 'code_verifier')
    if (verifier !== undefined && !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier))
      throw new OAuthError('invalid_grant', 'The code_verifier is malformed.')
    const code = {
      code: required(fields, 'code'),
      client: client.id,
      redirectUri: field(fields, 'redirect_uri') ?? null,
      verified: verifier === undefined ? null : needs.challengeOf(verifier),
    }
    const redeemed = await withGrantErrors(needs.redeemCode(code, contextOf(call, client)))
    const { grant, payer, permissions, request, signedInAt } = redeemed
    const who = { grant, generation: 0, payer, merchant: client.merchant, client: client.id }
    return { ...who, permissions, nonce: request.nonce, signedInAt }
  }

  const byRefresh = async (fields: Fields, client: Client, call: Call): Promise<Granted> => {
    const text = field(fields, 'scope')
    const scope = text === undefined ? null : parseScope(text)
    if (scope === undefined) throw new OAuthError('invalid_scope', 'A scope is not known.')
    const refreshed = await withGrantErrors(
      needs.refreshGrant(
        required(fields, 'refresh_token'),
        client.id,
        scope,
        contextOf(call, client),
      ),
    )
    const { grant, payer, merchant } = refreshed.grant
    const { generation, permissions } = refreshed
    return { grant, generation, payer, merchant, client: client.id, permissions }
  }

  const granted = (type: string, fields: Fields, client: Client, call: Call): Promise<Granted> => {
    switch (type) {
      case 'authorization_code':
        return byCode(fields, client, call)
      case 'refresh_token':
        return byRefresh(fields, client, call)
      default:
        throw new OAuthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token.',
        )
    }
  }

  return [
    route({
      method: 'POST',
      path: '/oauth2/token',
      access: 'OPEN',
      guard: 'client',
      group,
      summary: 'Exchange an authorization code, or a refresh token, for an access token',
      description:
        'RFC 6749. The client authenticates by HTTP Basic, by client_id and client_secret in the form, by its ' +
        'merchant-interface headers when it is a merchant, or as a public client by client_id alone.',
      body: anyForm,
      takesForm: true,
      success: 'raw',
      reply: tokenReply,
      replyTypes: jsonTypes,
      errors: refusals,
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const fields = call.body
          const client = await clientOf(call, fields, true)
          const grant = await granted(required(fields, 'grant_type'), fields, client, call)
          const shown = await needs.showTokens(grant, call.at)
          const state = field(fields, 'state')
          const { id_token, ...tokens } = tokensView(shown)
          return oauthJson({
            ...tokens,
            ...(id_token !== null && { id_token }),
            fee: '0.00',
            ...(state !== undefined && { state }),
          })
        }),
    }),
    route({
      method: 'POST',
      path: '/oauth2/revoke',
      access: 'OPEN',
      guard: 'client',
      group,
      summary: 'Revoke a token, and with it the grant that it belongs to (RFC 7009)',
      body: anyForm,
      takesForm: true,
      success: 'raw',
      reply: z.object({}),
      replyTypes: jsonTypes,
      errors: refusals,
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const client = await clientOf(call, call.body, true)
          const found = await needs.findGrantOf(required(call.body, 'token'))
          // A token that is not known, or another client's, is none that this client could use (RFC 7009, 2.2).
          if (found?.client === client.id)
            await needs.revokeGrant(found.grant, 'client', contextOf(call, client))
          return oauthJson({})
        }),
    }),
    route({
      method: 'POST',
      path: '/oauth2/introspect',
      access: 'OPEN',
      guard: 'client',
      group,
      summary: 'Whether an access token is good, and for what (RFC 7662)',
      body: anyForm,
      takesForm: true,
      success: 'raw',
      reply: introspectionReply,
      replyTypes: jsonTypes,
      errors: refusals,
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const client = await clientOf(call, call.body, false)
          const live = await needs.findLiveToken(required(call.body, 'token'), call.at)
          if (live?.merchant !== client.merchant) return oauthJson({ active: false })
          return oauthJson({
            active: true,
            scope: formatScope(live.scope),
            client_id: live.client,
            token_type: 'Bearer',
            exp: Math.floor(live.expiresAt / 1000),
            iat: Math.floor(live.issuedAt / 1000),
            sub: needs.subjectOf(live.payer, live.merchant),
            iss: needs.issuer(),
          })
        }),
    }),
  ]
}
