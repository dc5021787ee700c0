import type { z } from 'zod'
import { nationalId, shippingAddress, userInfo, userInfoScopes } from '../../application/claims.ts'
import type { LiveToken } from '../../application/grants.ts'
import type { Profile } from '../../domain/people/profile.ts'
import type { Scope } from '../../domain/people/scope.ts'
import type { Instant } from '../../domain/time.ts'
import type { Call } from '../call.ts'
import { route, type Route } from '../route.ts'
import { nationalIdClaims, shippingAddressClaims, userInfoClaims } from './claims-reply.ts'
import { notKept, oauthAnswer, OAuthError, oauthErrors, oauthJson } from './reply.ts'

export type ScopeNeeds = {
  readonly findLiveToken: (token: string, at: Instant) => Promise<LiveToken | undefined>
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  readonly subjectOf: (payer: string, merchant: string) => string
}

/** RFC 6750, 3: the challenge repeats the error; without a token it has none. */
const challenge = (status: 400 | 401 | 403, error: string, text: string, scope?: string) =>
  new OAuthError(error, text, status, {
    'WWW-Authenticate':
      `Bearer realm="daybook", error="${error}", error_description="${text}"` +
      (scope === undefined ? '' : `, scope="${scope}"`),
  })

const noToken = () =>
  new OAuthError('invalid_token', 'An access token is needed.', 401, {
    'WWW-Authenticate': 'Bearer realm="daybook"',
  })

const tokenErrors = {
  401: '`invalid_token`: the token is missing, unknown, expired or revoked (RFC 6750, 3.1).',
  403: '`insufficient_scope`: the token lacks the scope (RFC 6750, 3.1).',
}

/** Personal data for Bearer tokens with the right scope. */
export const scopeRoutes = ({ findLiveToken, findProfile, subjectOf }: ScopeNeeds): Route[] => {
  const tokenOf = ({ request }: Call): string => {
    const header = request.header('authorization')
    const [, scheme, token] = /^(\S+) +(\S+)$/.exec(header ?? '') ?? []
    if (scheme?.toLowerCase() !== 'bearer' || token === undefined) throw noToken()
    return token
  }

  const granted = async (call: Call, enough: readonly Scope[]) => {
    const live = await findLiveToken(tokenOf(call), call.at)
    const profile = live && (await findProfile(live.payer))
    if (!live || !profile)
      throw challenge(401, 'invalid_token', 'The access token is unknown, expired or revoked.')
    const [scope] = enough
    if (!enough.some((one) => live.scope.includes(one)))
      throw challenge(
        403,
        'insufficient_scope',
        `The scope ${enough.join(' or ')} is needed.`,
        scope,
      )
    return { profile, scope: live.scope, subject: subjectOf(live.payer, live.merchant) }
  }

  type Known = Awaited<ReturnType<typeof granted>>

  const answer = <Reply extends z.ZodObject>({
    enough,
    claims,
    ...told
  }: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly enough: readonly Scope[]
    readonly summary: string
    readonly reply: Reply
    readonly errors?: Readonly<Record<number, string>>
    readonly claims: (known: Known) => z.input<Reply> | null
  }): Route =>
    route({
      ...told,
      fromAnyOrigin: true,
      access: 'OPEN',
      guard: 'token',
      group: 'OAuth',
      description:
        `Needs the scope \`${enough.join('` or `')}\`. The token stands in the header Authorization (RFC 6750, 2.1), and is ` +
        'looked for nowhere else.',
      isSafe: true,
      success: 'raw',
      headers: notKept,
      replyTypes: ['application/json'],
      errors: { ...tokenErrors, ...told.errors },
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const value = claims(await granted(call, enough))
          if (value) return oauthJson(value)
          throw new OAuthError('not_found', 'The payer has not told this.', 404)
        }),
    })

  const scopeAnswer = <Reply extends z.ZodObject>(
    name: string,
    scope: Scope,
    summary: string,
    reply: Reply,
    claims: (known: Known) => z.input<Reply> | null,
  ) =>
    answer({
      method: 'GET',
      path: `/oauth2/v1/scope/${name}`,
      enough: [scope],
      summary,
      reply,
      errors: { 404: '`not_found`: the payer has not told this.' },
      claims,
    })

  const userInfoAnswer = (method: 'GET' | 'POST') =>
    answer({
      method,
      path: '/oauth2/v1/userinfo',
      enough: userInfoScopes,
      summary: 'Claims about the payer',
      reply: userInfoClaims,
      claims: ({ subject, profile, scope }) => userInfo(subject, profile, scope),
    })

  return [
    // Both methods (OpenID Connect Core, 5.3).
    userInfoAnswer('GET'),
    userInfoAnswer('POST'),
    scopeAnswer(
      'shipping_address',
      'shipping_address',
      'Where the payer wants parcels to go',
      shippingAddressClaims,
      ({ profile }) => shippingAddress(profile),
    ),
    scopeAnswer(
      'personal_id/no/id',
      'fodselsnummer',
      'The verified Norwegian national id, with all its proofs',
      nationalIdClaims,
      ({ profile }) => nationalId(profile, 'id'),
    ),
    scopeAnswer(
      'personal_id/no/bankid',
      'bankid',
      'The Norwegian national id, with the proof of the bank identity scheme',
      nationalIdClaims,
      ({ profile }) => nationalId(profile, 'bankid'),
    ),
  ]
}
