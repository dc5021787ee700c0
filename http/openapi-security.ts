import type { Names } from './assets.ts'
import type { AccessLevel, Guard, Route } from './route.ts'

/** Schemes that a request must satisfy together (OpenAPI 3.1, Security Requirement Object). */
type Requirement = Readonly<Record<string, readonly string[]>>

const signed: Requirement = { timestamp: [], contentDigest: [], authorization: [] }

/** A callback carries no merchant and no user. */
export const signedByService: readonly Requirement[] = [signed]

const signedForMerchant: Requirement[] = [
  { merchant: [], user: [], ...signed },
  { merchant: [], integrator: [], ...signed },
]

const accesses: Record<Route['access'], Requirement[]> = {
  OPEN: [],
  SECRET: [{ merchant: [], user: [], authorization: [] }, ...signedForMerchant],
  KEY: signedForMerchant,
  INTEGRATOR: [{ integrator: [], ...signed }],
}

const guards: Record<Guard, Requirement[]> = {
  session: [{ session: [] }],
  token: [{ token: [] }],
  // A merchant is its own client; others may send credentials in the form.
  client: [{ client: [] }, ...accesses.SECRET, {}],
}

/** The alternatives that a route accepts. */
export const securityOf = ({ access, guard }: Route): readonly Requirement[] =>
  guard ? guards[guard] : accesses[access]

/** A level of the merchant interface, or another kind of credentials. */
type Level = AccessLevel | 'TWOFACTOR' | 'TOKEN' | 'CLIENT'

export const levels: Readonly<Record<Level, string>> = {
  OPEN: 'no credentials',
  SECRET: 'merchant, user, and the secret of the user',
  KEY: 'merchant, user (or integrator), timestamp, content digest, and a signature',
  INTEGRATOR: 'integrator, timestamp, content digest, and a signature; no merchant',
  TWOFACTOR: 'the token of a payer who has signed in with both factors',
  TOKEN: 'an access token that a payer has granted',
  CLIENT:
    'the id and secret of an OAuth client, by HTTP Basic or in the form, or what `SECRET` takes: ' +
    'a merchant is a client of its own. A public client has its `client_id` only',
}

export const levelOf = (security: readonly Requirement[]): Level => {
  const takes = (scheme: string) => security.some((requirement) => scheme in requirement)
  if (security.length === 0) return 'OPEN'
  if (takes('session')) return 'TWOFACTOR'
  if (takes('token')) return 'TOKEN'
  if (takes('client')) return 'CLIENT'
  if (!security.every((requirement) => 'contentDigest' in requirement)) return 'SECRET'
  return takes('user') ? 'KEY' : 'INTEGRATOR'
}

const header = (name: string, description: string) => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
})

const http = (scheme: 'basic' | 'bearer', description: string) => ({
  type: 'http',
  scheme,
  description,
})

/** Where each credential is sent. */
export const securitySchemesOf = (names: Names) => ({
  merchant: header(names.merchant, 'The id of the merchant that the request is about.'),
  user: header(names.user, 'The id of the API user of the merchant who makes the request.'),
  integrator: header(
    names.integrator,
    'Instead of a user: the id of the integrator who makes the request for the merchant, always ' +
      'signed.',
  ),
  authorization: header(
    'Authorization',
    '`SECRET <secret>`, with the secret of the user, or `RSA-SHA256 <signature>`, made as is ' +
      'told under Signing.',
  ),
  timestamp: header(
    names.timestamp,
    'When it was signed: UTC, `YYYY-MM-DD hh:mm:ss`, at most 5 minutes off unless the operator ' +
      'allows more or less.',
  ),
  contentDigest: header(
    names.contentDigest,
    '`SHA256=` and the SHA-256 of the bytes of the body in base64; without a body, that of ' +
      'nothing.',
  ),
  session: http('bearer', 'The token of a payer, who has signed in at `/payer/v1/session/`.'),
  token: http('bearer', 'An access token that a payer has granted.'),
  client: http('basic', 'The id and the secret of an OAuth client, each form-urlencoded first.'),
})
