import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { PeopleService } from '../support/people-service.ts'
import { signedHeaders } from '../../harness/signing.ts'

type Service = Pick<PeopleService, 'address' | 'call'>

export const pairOf = (bits = 2048) => generateKeyPairSync('rsa', { modulusLength: bits })
export type RsaPair = ReturnType<typeof pairOf>

export const pemOf = ({ publicKey }: RsaPair): string =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString()

const path = '/merchant/v1/pos/'

/** Headers of a signed request for the points of sale. */
export const signedBy = (
  { address }: Service,
  user: string,
  key: KeyObject | string,
  merchant = 'sandbox',
): Record<string, string> => {
  const headers = { 'X-Service-Merchant': merchant, 'X-Service-User': user }
  return signedHeaders({ method: 'GET', url: address + path, key, headers })
}

/** Status of a request for the points of sale. */
export const statusOfCall = async (
  { call }: Service,
  headers: Readonly<Record<string, string>>,
): Promise<number> => (await call('GET', path, undefined, headers)).status

/** The token endpoint's response to a client with this secret and an invalid code. */
export const clientIs = async (
  { address }: Service,
  client: string,
  secret: string,
): Promise<string> => {
  const answer = await fetch(`${address}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: 'none', code_verifier: 'v'.repeat(43) },
      redirect_uri: 'https://shop.example/back',
    }),
  })
  return ((await answer.json()) as { error: string }).error
}
