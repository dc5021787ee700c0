import type { Names } from './brand.ts'
import type { Guard, Route } from './route.ts'

/** What a request must bring: all that one of these names (OpenAPI 3.1, Security Requirement Object). */
type Requirement = Readonly<Record<string, readonly string[]>>

const signed: Requirement = { timestamp: [], contentDigest: [], signature: [] }
/** What a callback brings: no merchant and no user. */
export const signedByService: readonly Requirement[] = [signed]
const signedForMerchant: Requirement[] = [
  { merchant: [], user: [], ...signed },
  { merchant: [], integrator: [], ...signed },
]

const accesses: Record<Route['access'], Requirement[]> = {
  OPEN: [],
  SECRET: [{ merchant: [], user: [], secret: [] }, ...signedForMerchant],
  KEY: signedForMerchant,
  INTEGRATOR: [{ integrator: [], ...signed }],
}

const guards: Record<Guard, Requirement[]> = {
  session: [{ session: [] }],
  token: [{ token: [] }],
  // A merchant is a client of its own; a public client has no more than its id.
  client: [{ client: [] }, ...accesses.SECRET, {}],
}

/** With what a route can be asked: any of these will do. */
export const securityOf = ({ access, guard }: Route): readonly Requirement[] =>
  guard ? guards[guard] : accesses[access]

const header = (name: string, description: string) => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
})
const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })

/** The names that the requirements use, and where each is sent. */
export const securitySchemesOf = (names: Names) => ({
  merchant: header(names.merchant, 'The merchant id.'),
  user: header(names.user, 'The API user.'),
  integrator: header(names.integrator, 'The integrator, instead of an API user.'),
  timestamp: header(names.timestamp, 'UTC, YYYY-MM-DD hh:mm:ss, at most 5 minutes off.'),
  contentDigest: header(names.contentDigest, 'SHA256=<base64 of SHA-256 of the body>.'),
  secret: header('Authorization', 'SECRET <secret>.'),
  session: bearer('The token of a payer who has signed in at /payer/v1/session/.'),
  token: bearer('An access token that a payer has granted.'),
  client: { type: 'http', scheme: 'basic', description: 'Client id and client secret.' },
  signature: header(
    'Authorization',
    'RSA-SHA256 <base64>: RSASSA-PKCS1-v1_5 over METHOD|url|headers.',
  ),
})
