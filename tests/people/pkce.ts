import { applications } from '../../domain/aggregates.ts'
import type { PeopleService } from '../support/people-service.ts'
import { newClient } from '../../infrastructure/people/id-tokens.ts'

/** RFC 7636, appendix B: for the authorization request, and for the token request. */
export const pkce = {
  challenge: {
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  },
  verifier: { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
} as const

/** A confidential client registered before PKCE was required. */
export const addOlderApp = async (
  { core }: PeopleService,
  name: string,
  redirectUris: readonly string[],
) => {
  const { clientId, secret, secretHash } = newClient()
  const known = { clientId, merchant: 'sandbox', name, redirectUris: [...redirectUris], secretHash }
  const context = core.contextOf('operator', 'sandbox')
  await core.handle(applications, clientId, { type: 'Register', data: known }, context)
  return { client_id: clientId, client_secret: secret }
}
