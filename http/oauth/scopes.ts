import type { z } from 'zod'
import { nationalId, shippingAddress, userInfo, userInfoScopes } from '../../application/claims.ts'
import { proofAlgorithms } from '../../application/tokens.ts'
import type { LiveToken } from '../../application/grants.ts'
import type { Profile } from '../../domain/people/profile.ts'
import type { Scope } from '../../domain/people/scope.ts'
import type { Instant } from '../../domain/time.ts'
import type { Call } from '../call.ts'
import { route, type Route } from '../route.ts'
import {
  nationalIdClaims,
  shippingAddressClaims,
  userInfoClaims,
  notKept,
  oauthAnswer,
  OAuthError,
  oauthErrors,
  oauthJson,
  tokenErrors,
} from './reply.ts'
import { recordTokenReading, type RecordingNeeds } from '../personal-data.ts'
import { proofHeader, type ProofNeeds } from './client.ts'

type ScopeNeeds = ProofNeeds &
  RecordingNeeds & {
    readonly findLiveToken: (token: string, at: Instant) => Promise<LiveToken | undefined>
    readonly findProfile: (payer: string) => Promise<Profile | undefined>
    readonly subjectOf: (payer: string, merchant: string) => string
  }

const schemes = ['Bearer', 'DPoP'] as const

type Scheme = (typeof schemes)[number]

/** RFC 9449, 7.1. */
const algorithms = `algs="${proofAlgorithms.join(' ')}"`

/** RFC 6750, 3: the challenge repeats the error; without a token it has none. */
const challenge = (
  scheme: Scheme,
  status: 401 | 403,
  error: string,
  text: string,
  scope?: string,
) =>
  new OAuthError(error, text, status, {
    'WWW-Authenticate':
      `${scheme} realm="daybook", error="${error}", error_description="${text}"` +
      (scope === undefined ? '' : `, scope="${scope}"`) +
      (scheme === 'DPoP' ? `, ${algorithms}` : ''),
  })

const noToken = () =>
  new OAuthError('invalid_token', 'An access token is needed.', 401, {
    'WWW-Authenticate': `Bearer realm="daybook", DPoP realm="daybook", ${algorithms}`,
  })

const tokenOf = ({ request }: Call): { readonly scheme: Scheme; readonly token: string } => {
  const header = request.header('authorization')
  const [, name = '', token] = /^(\S+) +(\S+)$/.exec(header ?? '') ?? []
  const scheme = schemes.find((one) => one.toLowerCase() === name.toLowerCase())
  if (scheme === undefined || token === undefined) throw noToken()
  return { scheme, token }
}

/** A bound token comes with a proof of its key, and any other without (RFC 9449, 7). */
const makeBindingCheck =
  ({ checkProof }: ProofNeeds) =>
  async (call: Call, scheme: Scheme, accessToken: string, { jkt }: LiveToken): Promise<void> => {
    const refuse = (error: string, text: string): never => {
      throw challenge(jkt === null ? 'Bearer' : 'DPoP', 401, error, text)
    }
    if ((scheme === 'DPoP') !== (jkt !== null))
      return refuse(
        'invalid_token',
        jkt === null ? 'The token is no DPoP token.' : 'The token is bound to a key: use DPoP.',
      )
    if (jkt === null) return
    const proof = proofHeader(call)
    if (proof === undefined) return refuse('invalid_dpop_proof', 'The header DPoP is missing.')
    const { method, url } = call.request
    const checked = await checkProof(proof, { method, url: url(), accessToken })
    if ('problem' in checked) return refuse('invalid_dpop_proof', checked.problem)
    if (checked.jkt !== jkt) return refuse('invalid_token', 'The token is bound to another key.')
  }

/** Personal data for Bearer tokens with the right scope. */
export const scopeRoutes = (needs: ScopeNeeds): Route[] => {
  const { findLiveToken, findProfile, subjectOf } = needs
  const checkBinding = makeBindingCheck(needs)

  const granted = async (call: Call, enough: readonly Scope[]) => {
    const { scheme, token } = tokenOf(call)
    const live = await findLiveToken(token, call.at)
    const profile = live && (await findProfile(live.payer))
    const unknown = 'The access token is unknown, expired or revoked.'
    if (!live || !profile) throw challenge(scheme, 401, 'invalid_token', unknown)
    await checkBinding(call, scheme, token, live)
    const tooLittle = `The scope ${enough.join(' or ')} is needed.`
    if (!enough.some((one) => live.scope.includes(one)))
      throw challenge(scheme, 403, 'insufficient_scope', tooLittle, enough[0])
    recordTokenReading(needs, call, live)
    return { profile, scope: live.scope, subject: subjectOf(live.payer, live.merchant) }
  }

  type Known = Awaited<ReturnType<typeof granted>>

  const answer = <Reply extends z.ZodObject>({
    enough,
    claims,
    ...documentation
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
      ...documentation,
      fromAnyOrigin: true,
      access: 'OPEN',
      guard: 'token',
      group: 'OAuth',
      description:
        `Needs the scope \`${enough.join('` or `')}\`. The token stands in the header ` +
        'Authorization (RFC 6750, 2.1), and is looked for nowhere else. ' +
        'A bound token comes as `DPoP`, with a proof (RFC 9449, 7).',
      isSafe: true,
      success: 'raw',
      headers: notKept,
      replyTypes: ['application/json'],
      errors: { ...tokenErrors, ...documentation.errors },
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
