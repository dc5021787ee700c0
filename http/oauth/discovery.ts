import { z } from 'zod'
import { keySetLifetime, proofAlgorithms } from '../../application/tokens.ts'
import { scopes } from '../../domain/people/scope.ts'
import { languages } from '../../texts/catalogue.ts'
import { preferred } from '../negotiation.ts'
import { route, type Route } from '../route.ts'

type DiscoveryNeeds = {
  readonly issuer: () => string
  readonly publishedKeys: () => Promise<object>
}

const types = ['application/json'] as const

const keyTypes = ['application/json', 'application/jwk-set+json'] as const

/** OpenID Connect Discovery 1.0 and RFC 8414. */
const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth2/auth`,
  token_endpoint: `${issuer}/oauth2/token`,
  userinfo_endpoint: `${issuer}/oauth2/v1/userinfo`,
  revocation_endpoint: `${issuer}/oauth2/revoke`,
  introspection_endpoint: `${issuer}/oauth2/introspect`,
  jwks_uri: `${issuer}/oauth2/jwks`,
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  dpop_signing_alg_values_supported: proofAlgorithms,
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  claims_supported: [
    ...['iss', 'sub', 'aud', 'exp', 'iat', 'at_hash', 'nonce', 'auth_time', 'name', 'email'],
    ...['email_verified', 'phone_number', 'phone_number_verified', 'address'],
  ],
  ui_locales_supported: [...languages],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
})

const document = (
  path: string,
  summary: string,
  value: () => Promise<object>,
  replyTypes: typeof types | typeof keyTypes = types,
): Route =>
  route({
    method: 'GET',
    path,
    access: 'OPEN',
    group: 'OAuth',
    summary,
    success: 'raw',
    fromAnyOrigin: true,
    headers: { 'Cache-Control': `public, max-age=${keySetLifetime}` },
    reply: z.record(z.string(), z.unknown()),
    replyTypes,
    handle: async ({ accept }) => ({
      type: preferred(accept, replyTypes),
      body: JSON.stringify(await value()),
    }),
  })

export const discoveryRoutes = ({ issuer, publishedKeys }: DiscoveryNeeds): Route[] => [
  document(
    '/.well-known/openid-configuration',
    'What OpenID Connect clients need to know of this service',
    async () => metadata(issuer()),
  ),
  document(
    '/.well-known/oauth-authorization-server',
    'What OAuth clients need to know of this service',
    async () => metadata(issuer()),
  ),
  document('/oauth2/jwks', 'The public keys of ID tokens', publishedKeys, keyTypes),
]
