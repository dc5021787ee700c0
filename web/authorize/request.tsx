import type { Html } from '../ui/components.tsx'
import { Field } from '../ui/fields.tsx'
import type { AuthorizationRequest } from '../../domain/people/authorization.ts'
import { parseScope } from '../../domain/people/scope.ts'
import type { Instant } from '../../domain/time.ts'
import { authorizationParameters, type AuthorizationParameter } from './authorization-parameters.ts'
import type { KnownApplication } from '../../http/oauth/client.ts'
import { z } from 'zod'
import type { Call } from '../../http/call.ts'
import { deviceName } from '../payer/devices.tsx'
import type { Sealing } from '../payer/sealing.ts'
import type { Visitor } from '../payer/session.tsx'
import { filled } from '../ui/words.tsx'

export type OriginNeeds = Sealing & {
  readonly derive: (...parts: readonly (string | number)[]) => string
}

export const origin = z.object({ address: z.string(), device: z.string().nullable() })

/** The two digits that the screen shows and the phone asks for. */
export const compareNumber = ({ derive }: OriginNeeds, id: string): string =>
  String(10 + (Buffer.from(derive('compare', id), 'base64url').readUInt32BE() % 90))

/** Adds to a code where it was shown, sealed: only this service can say so. */
export const withOrigin = ({ seal }: OriginNeeds, qr: string, { request }: Call): string => {
  const device = deviceName(request.header('user-agent')) ?? null
  return `${qr}.${seal(JSON.stringify({ address: request.remoteAddress ?? '', device }))}`
}

/** Where the request comes from, on the phone that approves it. */
export const originHtml = (
  { unseal }: OriginNeeds,
  { texts }: Visitor,
  { qr, address: own }: { readonly qr: string; readonly address: string },
): Html => {
  const text = unseal(qr.split('.')[1] ?? '')
  const from = text === undefined ? undefined : origin.safeParse(JSON.parse(text)).data
  const place = from?.address === own ? texts.fromHere : texts.fromElsewhere
  const address = <b>{from?.address ?? texts.unknownDevice}</b>
  const device = <b>{from?.device ?? texts.unknownDevice}</b>
  return [filled(place, { address }), <br />, ' ', filled(texts.fromDevice, { device })]
}

/** The number to compare. */
export const compareField = ({ texts }: Visitor, problem: string | undefined): Html => (
  <Field
    name="compare"
    label={texts.compareNumber}
    hint={texts.compareHint}
    problem={problem}
    inputmode="numeric"
    autocomplete="off"
    maxlength={2}
  />
)

export type ValidRequest = {
  readonly result: 'valid'
  readonly request: AuthorizationRequest
  readonly application: KnownApplication
  readonly prompt: readonly string[]
  /** The payer's expected phone number. */
  readonly loginHint: string | null
}

export type RefusedReason = 'unknownClient' | 'disabledClient' | 'unknownRedirect'

export type ReadRequest =
  | ValidRequest
  /** Reported to the application (RFC 6749, 4.1.2.1). */
  | { readonly result: 'redirect'; readonly location: string }
  /** Shown here: an unknown redirect URI must not be followed. */
  | { readonly result: 'refuse'; readonly reason: RefusedReason }

/** Adds parameters and keeps the URI's own query (RFC 6749, 3.1.2). */
export const redirectTo = (
  redirectUri: string,
  parameters: Readonly<Record<string, string | null>>,
): string => {
  const { href } = new URL(redirectUri)
  const answer = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== null) answer.set(name, value)
  return `${href}${href.includes('?') ? '&' : '?'}${answer.toString()}`
}

/** From `prompt=login` or `max_age` seconds; `login` means the same as `max_age=0`. */
const earliestSignIn = (
  at: Instant,
  prompt: readonly string[],
  maxAge: string | null,
): Pick<AuthorizationRequest, 'signedInSince'> => {
  if (prompt.includes('login')) return { signedInSince: at }
  return maxAge === null ? {} : { signedInSince: Math.max(0, at - Number(maxAge) * 1000) }
}

/** A native app gets its port at start, so any port matches (RFC 8252, 7.3). */
const withoutLoopbackPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d+(?=[/?]|$)/, '$1')

/** Exact match (RFC 9700, 2.1), except for the loopback port of a public client. */
const isRegistered = ({ redirectUris, secretHash }: KnownApplication, named: string): boolean =>
  redirectUris.includes(named) ||
  (secretHash === null &&
    URL.canParse(named) &&
    redirectUris.map(withoutLoopbackPort).includes(withoutLoopbackPort(named)))

type Facts = {
  readonly at: Instant
  readonly issuer: string
  readonly findApplication: (clientId: string) => KnownApplication | undefined
  /** The subject of `id_token_hint`, if any. */
  readonly subject: string | 'unknown' | null
}

/**
 * Reads an authorization request (RFC 6749, 4.1.1; OpenID Connect Core, 3.1.2.1). Nothing redirects
 * until client and redirect URI are verified.
 */
export const readAuthorizationRequest = (
  query: URLSearchParams,
  { at, issuer, findApplication, subject }: Facts,
): ReadRequest => {
  const all = (name: AuthorizationParameter): readonly string[] =>
    query.getAll(name).filter((text) => text !== '')
  const one = (name: AuthorizationParameter): string | null => all(name)[0] ?? null
  const isWrong = (name: AuthorizationParameter): boolean => {
    const text = one(name)
    return text !== null && !authorizationParameters.shape[name].safeParse(text).success
  }

  const client = one('client_id')
  const application = client === null ? undefined : findApplication(client)
  if (client === null || !application || all('client_id').length > 1)
    return { result: 'refuse', reason: 'unknownClient' }
  if (application.isDisabled) return { result: 'refuse', reason: 'disabledClient' }
  const { redirectUris, merchant, secretHash, requiresPkce } = application
  const named = one('redirect_uri')
  const redirectUri = named ?? (redirectUris.length === 1 ? redirectUris[0] : undefined)
  if (
    redirectUri === undefined ||
    !isRegistered(application, redirectUri) ||
    all('redirect_uri').length > 1
  )
    return { result: 'refuse', reason: 'unknownRedirect' }

  const state = one('state')
  const refuse = (error: string, error_description: string): ReadRequest => ({
    result: 'redirect',
    location: redirectTo(redirectUri, { error, error_description, state, iss: issuer }),
  })
  const repeated = authorizationParameters.keyof().options.find((name) => all(name).length > 1)
  if (repeated !== undefined) return refuse('invalid_request', `${repeated} is repeated.`)
  if (isWrong('state') || isWrong('nonce'))
    return refuse('invalid_request', 'state or nonce is too long.')
  if (one('response_type') === null) return refuse('invalid_request', 'response_type is missing.')
  if (isWrong('response_type'))
    return refuse('unsupported_response_type', 'response_type must be code.')
  if (isWrong('response_mode')) return refuse('invalid_request', 'response_mode must be query.')
  if (one('request') !== null)
    return refuse('request_not_supported', 'Request objects are not read.')
  if (one('request_uri') !== null)
    return refuse('request_uri_not_supported', 'Request objects are not read.')
  const scope = parseScope(one('scope') ?? '')
  const codeChallenge = one('code_challenge')
  const method = one('code_challenge_method')
  if (codeChallenge === null && (method !== null || secretHash === null || requiresPkce))
    return refuse('invalid_request', 'code_challenge is missing.')
  if (codeChallenge !== null && (method === null || isWrong('code_challenge_method')))
    return refuse('invalid_request', 'code_challenge_method must be S256.')
  if (isWrong('code_challenge')) return refuse('invalid_request', 'code_challenge is malformed.')
  const prompt = (one('prompt') ?? '').split(' ').filter((word) => word !== '')
  if (prompt.includes('none') && prompt.length > 1)
    return refuse('invalid_request', 'prompt none stands alone.')
  const maxAge = one('max_age')
  if (isWrong('dpop_jkt')) return refuse('invalid_request', 'dpop_jkt is malformed.')
  const dpopJkt = one('dpop_jkt')
  if (isWrong('max_age')) return refuse('invalid_request', 'max_age is malformed.')
  if (subject === 'unknown')
    return refuse('invalid_request', 'id_token_hint is no ID token of this service.')
  const isRedirectUriGiven = named !== null
  const nonce = one('nonce')
  const who = { client, merchant, redirectUri, isRedirectUriGiven }
  const parameters = { scope: [...scope], state, nonce, codeChallenge }
  const request = {
    ...who,
    ...parameters,
    ...earliestSignIn(at, prompt, maxAge),
    ...(subject !== null && { subject }),
    ...(dpopJkt !== null && { dpopJkt }),
  }
  return { result: 'valid', request, application, prompt, loginHint: one('login_hint') }
}
