import { z } from 'zod'
import type { Fields } from '../forms.ts'
import type { OwnErrors, RawReply, RawStatus } from '../route.ts'

export const address = z.object({
  street_address: z.string(),
  postal_code: z.string(),
  locality: z.string(),
  country: z.string().meta({ description: 'Two letters (ISO 3166-1).' }),
})

export const withScope = (...names: readonly string[]) => ({
  description: `With the scope \`${names.join('` and `')}\`, if it is known.`,
})

/** Standard claims (OpenID Connect Core, 5.1). */
export const userInfoClaims = z
  .object({
    sub: z.string().meta({ description: 'The payer, as this merchant and no other knows them.' }),
    name: z.string().optional().meta(withScope('profile')),
    email: z.string().optional().meta(withScope('openid', 'email')),
    email_verified: z.boolean().optional(),
    phone_number: z.string().optional().meta(withScope('openid', 'phone')),
    phone_number_verified: z.boolean().optional(),
    address: address.optional().meta(withScope('openid', 'address')),
  })
  .meta({ id: 'UserInfo' })

export const shippingAddressClaims = z
  .object({ shipping_address: z.object({ name: z.string(), ...address.shape }) })
  .meta({ id: 'ShippingAddress' })

export const proof = z.object({
  issuer: z.string().meta({ description: 'Who has verified the id.' }),
  method: z.string(),
  date: z.iso.date(),
})

export const nationalIdClaims = z
  .object({ jurisdiction: z.literal('NO'), id: z.string(), proofs: z.array(proof).min(1) })
  .meta({ id: 'NationalId' })

/** Claims of all granted scopes. */
export const grantedClaims = userInfoClaims
  .extend({
    shipping_address: shippingAddressClaims.shape.shipping_address
      .optional()
      .meta(withScope('shipping_address')),
    personal_id: nationalIdClaims.optional().meta({
      description:
        'The Norwegian national id, with the scope `fodselsnummer`; with `bankid` alone, the ' +
        'proof of the bank identity scheme only.',
    }),
  })
  .meta({ id: 'GrantedClaims' })

const jsonType = 'application/json'

/** An error of an OAuth endpoint (RFC 6749, 5.2). */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  constructor(
    readonly error: string,
    description: string,
    readonly status: RawStatus = 400,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(description)
  }
}

/** Parameters may not repeat, and an empty one counts as absent (RFC 6749, 3.2). */
export const parameter = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string | undefined => {
  const value = form[name]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw new OAuthError('invalid_request', `${name} is repeated.`)
  return value
}

/** @throws OAuthError when it is missing */
export const requiredParameter = <Name extends string>(
  form: Fields<Name>,
  name: NoInfer<Name>,
): string => {
  const value = parameter(form, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** RFC 6749, 5.1. */
export const notKept = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

export const oauthErrors: OwnErrors = {
  type: jsonType,
  schema: z
    .object({ error: z.string(), error_description: z.string() })
    .meta({ id: 'OAuthError', description: 'RFC 6749, 5.2.' }),
  headers: notKept,
  tell: (status, error_description) => {
    const failure = status === 500 ? 'server_error' : 'temporarily_unavailable'
    const isOurs = status >= 500 || status === 429
    return { error: isOurs ? failure : 'invalid_request', error_description }
  },
}

export const oauthJson = (
  value: object,
  status: RawStatus = 200,
  headers: Readonly<Record<string, string>> = {},
): RawReply => ({
  status,
  type: jsonType,
  body: JSON.stringify(value),
  headers,
})

/** Turns errors into OAuth errors. `client` is who asks, by its own word. */
export const oauthAnswer = async (
  work: () => Promise<RawReply>,
  client?: string,
): Promise<RawReply> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { error: code, message, status, headers } = error
    const reply = oauthJson({ error: code, error_description: message }, status, headers)
    return { ...reply, refused: { reason: `${code}: ${message}`, client: client?.slice(0, 64) } }
  }
}

/** Of routes that take an access token. */
export const tokenErrors = {
  401: '`invalid_token`: the token is missing, unknown, expired or revoked (RFC 6750, 3.1).',
  403: '`insufficient_scope`: the token lacks the scope (RFC 6750, 3.1).',
}
