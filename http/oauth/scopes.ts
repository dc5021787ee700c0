import { z } from 'zod'
import { nationalId, shippingAddress, userInfo, userInfoScopes } from '../../application/claims.ts'
import type { LiveToken } from '../../application/grants.ts'
import type { Profile } from '../../domain/people/profile.ts'
import type { Scope } from '../../domain/people/scope.ts'
import type { Instant } from '../../domain/time.ts'
import { route, type Call, type Route } from '../route.ts'
import { oauthAnswer, OAuthError, oauthErrors, oauthJson } from './reply.ts'

export type ScopeNeeds = {
  readonly findLiveToken: (token: string, at: Instant) => Promise<LiveToken | undefined>
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  readonly subjectOf: (payer: string, merchant: string) => string
}

const claimsReply = z.record(z.string(), z.unknown())

/** RFC 6750, 3: what is wrong stands in the challenge, too; without a token it names no error. */
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

/** What payers have let a client know: it comes with a Bearer token that was granted the scope. */
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

  const answer = (
    method: 'GET' | 'POST',
    path: string,
    enough: readonly Scope[],
    summary: string,
    claims: (known: Awaited<ReturnType<typeof granted>>) => object | null,
  ): Route =>
    route({
      method,
      fromAnyOrigin: true,
      path,
      access: 'OPEN',
      guard: 'token',
      group: 'OAuth',
      summary,
      description: `Needs a Bearer token with the scope ${enough.join(' or ')}; errors are those of RFC 6750.`,
      success: 'raw',
      reply: claimsReply,
      replyTypes: ['application/json'],
      errors: {
        401: 'The token is missing, unknown, expired or revoked.',
        403: 'The token lacks the scope.',
        404: 'The payer has not told this.',
      },
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const value = claims(await granted(call, enough))
          if (value) return oauthJson(value)
          throw new OAuthError('not_found', 'The payer has not told this.', 404)
        }),
    })

  const scopePath = '/oauth2/v1/scope'
  return [
    // Both methods (OpenID Connect Core, 5.3).
    ...(['GET', 'POST'] as const).map((method) =>
      answer(method, '/oauth2/v1/userinfo', userInfoScopes, 'Claims about the payer', (known) =>
        userInfo(known.subject, known.profile, known.scope),
      ),
    ),
    answer(
      'GET',
      `${scopePath}/shipping_address`,
      ['shipping_address'],
      'Where the payer wants parcels to go',
      ({ profile }) => shippingAddress(profile),
    ),
    answer(
      'GET',
      `${scopePath}/personal_id/no/id`,
      ['fodselsnummer'],
      'The verified Norwegian national id, with all its proofs',
      ({ profile }) => nationalId(profile, 'id'),
    ),
    answer(
      'GET',
      `${scopePath}/personal_id/no/bankid`,
      ['bankid'],
      'The Norwegian national id, with the proof of the bank identity scheme',
      ({ profile }) => nationalId(profile, 'bankid'),
    ),
  ]
}
