import type { redeemCode } from '../../application/authorize.ts'
import type { Refreshed } from '../../application/grants.ts'
import type { Context } from '../../application/handle.ts'
import type { Granted, TokensView } from '../../application/show-tokens.ts'
import { parseScope, type Scope } from '../../domain/people/scope.ts'
import { Refusal, type RefusalCode } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Call } from '../call.ts'
import type { FormOf } from '../forms.ts'
import type { Route } from '../route.ts'
import { free, tokensView, tokenMembers } from '../merchant/outcome-reply.ts'
import {
  clientEndpoint,
  contextOfClient,
  clientParameters,
  makeClientAccess,
  type Client,
  type ClientNeeds,
  provedKey,
  type ProofNeeds,
} from './client.ts'
import { OAuthError, parameter, requiredParameter } from './reply.ts'
import { z } from 'zod'

const tokenReply = z
  .object({
    ...tokenMembers,
    access_token: z.string(),
    token_type: z.enum(['Bearer', 'DPoP']).meta({
      description:
        '`DPoP` when the request proved a key, to which the tokens are bound (RFC 9449).',
    }),
    id_token: z.string().optional().meta({ description: 'With the scope `openid`.' }),
    scope: z
      .string()
      .optional()
      .meta({ description: 'Space-delimited; absent when there is none.' }),
    currency: z.null(),
    fee: z.literal(free.fee),
    report_id: z.null(),
    state: z.string().optional().meta({ description: 'Of the authorization request.' }),
  })
  .meta({ id: 'OAuthTokens' })

const codeGrant = z.object({
  grant_type: z.literal('authorization_code').meta({ description: 'RFC 6749, 4.1.3.' }),
  code: z.string().meta({
    description: 'RFC 6749, 4.1.3: out of the redirect, within 60 seconds, and once.',
  }),
  redirect_uri: z.string().optional().meta({
    description: 'RFC 6749, 4.1.3: needed, and the same, when the authorization request had one.',
  }),
  code_verifier: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{43,128}$/)
    .optional()
    .meta({
      description:
        'RFC 7636, 4.5: needed when the authorization request had a `code_challenge`, and ' +
        'refused otherwise.',
      examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
    }),
  ...clientParameters,
})

const refreshGrant = z.object({
  grant_type: z.literal('refresh_token').meta({ description: 'RFC 6749, 6.' }),
  refresh_token: z.string().meta({
    description:
      'RFC 6749, 6: the latest one. Each gives another, and the same other for a minute.',
  }),
  scope: z
    .string()
    .optional()
    .meta({
      description:
        'RFC 6749, 6: names with spaces between them, none but what was granted; all of it when ' +
        'absent.',
      examples: ['openid profile'],
    }),
  ...clientParameters,
})

const anyGrant = z.discriminatedUnion('grant_type', [codeGrant, refreshGrant])

type TokenNeeds = ClientNeeds &
  ProofNeeds & {
    readonly redeemCode: ReturnType<typeof redeemCode>
    readonly refreshGrant: (
      refreshToken: string,
      client: { readonly id: string; readonly isPublic: boolean; readonly jkt: string | undefined },
      scope: readonly Scope[] | null,
      context: Context,
    ) => Promise<Refreshed>
    readonly showTokens: (granted: Granted, at: Instant) => Promise<TokensView>
    /** The S256 code challenge of a verifier (RFC 7636, 4.6). */
    readonly challengeOf: (verifier: string) => string
  }

const grantErrors: Partial<Record<RefusalCode, readonly [string, string]>> = {
  code_is_invalid: ['invalid_grant', 'The code is unknown, expired, or does not fit the request.'],
  code_is_used: ['invalid_grant', 'The code has been used; what it gave is revoked.'],
  grant_is_revoked: ['invalid_grant', 'The refresh token is unknown, used up or revoked.'],
  grant_is_expired: ['invalid_grant', 'The refresh token has expired.'],
  token_is_bound_to_another_key: [
    'invalid_grant',
    'The refresh token is bound to another key: send a DPoP proof of that one.',
  ],
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

/** A client, and the key that it has proved. */
type Proved = Client & { readonly jkt: string | undefined }

/** `state` comes from the authorization request, if there was one. */
type Answered = Granted & { readonly state?: string | null }

export const tokenRoutes = (needs: TokenNeeds): Route[] => {
  const endpoint = clientEndpoint(makeClientAccess(needs))

  const byCode = async (
    form: FormOf<typeof codeGrant>,
    client: Proved,
    call: Call,
  ): Promise<Answered> => {
    const verifier = parameter(form, 'code_verifier')
    if (!codeGrant.shape.code_verifier.safeParse(verifier).success)
      throw new OAuthError('invalid_grant', 'The code_verifier is malformed.')
    const code = {
      code: requiredParameter(form, 'code'),
      client: client.id,
      redirectUri: parameter(form, 'redirect_uri') ?? null,
      codeChallenge: verifier === undefined ? null : needs.challengeOf(verifier),
      jkt: client.jkt,
    }
    const redeemed = await withGrantErrors(needs.redeemCode(code, contextOfClient(call, client)))
    const { grant, payer, permissions, request, signedInAt } = redeemed
    const who = { grant, generation: 0, payer, merchant: client.merchant, client: client.id }
    const { nonce, state } = request
    return { ...who, permissions, nonce, state, signedInAt }
  }

  const byRefresh = async (
    form: FormOf<typeof refreshGrant>,
    client: Proved,
    call: Call,
  ): Promise<Granted> => {
    const text = parameter(form, 'scope')
    const scope = text === undefined ? null : parseScope(text)
    if (scope?.length === 0) throw new OAuthError('invalid_scope', 'No scope of these is known.')
    const refreshed = await withGrantErrors(
      needs.refreshGrant(
        requiredParameter(form, 'refresh_token'),
        client,
        scope,
        contextOfClient(call, client),
      ),
    )
    const { grant, payer, merchant } = refreshed.grant
    const { generation, permissions, signedInAt } = refreshed
    return { grant, generation, payer, merchant, client: client.id, permissions, signedInAt }
  }

  const granted = (
    type: string,
    form: FormOf<typeof anyGrant>,
    client: Proved,
    call: Call,
  ): Promise<Answered> => {
    switch (type) {
      case 'authorization_code':
        return byCode(form, client, call)
      case 'refresh_token':
        return byRefresh(form, client, call)
      default:
        throw new OAuthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token.',
        )
    }
  }

  return [
    endpoint({
      path: '/oauth2/token',
      summary: 'Exchange an authorization code, or a refresh token, for an access token',
      description:
        'RFC 6749. The client authenticates by HTTP Basic, by `client_id` and `client_secret` in ' +
        'the form, by its merchant-interface headers when it is a merchant, or as a public ' +
        'client by `client_id` alone. A proof in the header `DPoP` (RFC 9449) binds the tokens ' +
        'to a key of the client.',
      form: anyGrant,
      reply: tokenReply,
      refusals: [
        ...['invalid_request', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
        'invalid_dpop_proof',
      ],
      mayBePublic: true,
      answer: async (client, form, call) => {
        const type = requiredParameter(form, 'grant_type')
        const jkt = await provedKey(needs, call)
        if (client.requiresDpop && jkt === undefined)
          throw new OAuthError('invalid_dpop_proof', 'This client must send a DPoP proof.')
        const proved = { ...client, jkt }
        const { state = null, ...grant } = await granted(type, form, proved, call)
        const view = await needs.showTokens(grant, call.at)
        const { id_token, scope, ...tokens } = tokensView(view)
        return {
          ...tokens,
          token_type: grant.permissions.tokens.jkt === undefined ? 'Bearer' : 'DPoP',
          ...(id_token !== null && { id_token }),
          ...(scope !== null && { scope }),
          ...free,
          ...(state !== null && { state }),
        }
      },
    }),
  ]
}
