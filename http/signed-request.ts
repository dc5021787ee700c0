import type { SignedOrder } from '../domain/cause.ts'
import type { AccessNeeds } from './access-needs.ts'
import type { Caller } from './call.ts'
import { RequestError } from './errors.ts'
import { stringToSign } from './signature.ts'
import type { UnauthenticatedRequest } from './unauthenticated-request.ts'
import { parseDateTime } from './wire.ts'

/** One challenge per scheme (RFC 9110, section 11.6.1). */
const challenges = 'SECRET realm="merchant", RSA-SHA256 realm="merchant"'

/** Told only to those who have authenticated. */
export const disabledText = {
  user: 'This user is disabled: ask the operator of the service.',
  integrator: 'This integrator is disabled: ask the operator of the service.',
  merchant: 'This merchant is disabled: ask the operator of the service.',
} as const

export const notFromHere = (whose: string): string =>
  `Requests ${whose} may not come from this address.`

/** @throws RequestError 401 */
export const unauthorized = (
  description: string,
  details: Record<string, string[]> | null = null,
): never => {
  throw new RequestError(401, description, details, { 'WWW-Authenticate': challenges })
}

type Needs = Pick<AccessNeeds, 'names' | 'contentDigest' | 'machineNow' | 'clockToleranceMs'>

/** The text to verify, once timestamp and digest are right. @throws RequestError 401 */
export const makeSignedText = (needs: Needs) => {
  const { names } = needs

  const checkTimestamp = (text: string | undefined): void => {
    if (text === undefined) return unauthorized(`The header ${names.timestamp} is missing.`)
    const at = parseDateTime(text)
    if (at === undefined)
      return unauthorized(`${names.timestamp} must be a UTC time as YYYY-MM-DD hh:mm:ss.`)
    if (Math.abs(needs.machineNow() - at) > needs.clockToleranceMs)
      return unauthorized(`${names.timestamp} is stale: too far from the real time.`)
  }

  const checkDigest = (digest: string | undefined, body: Uint8Array | undefined): void => {
    if (digest === undefined) return unauthorized(`The header ${names.contentDigest} is missing.`)
    if (body !== undefined && digest !== needs.contentDigest(body))
      return unauthorized(`${names.contentDigest} does not match the body: digest mismatch.`)
  }

  return (request: UnauthenticatedRequest): string => {
    checkTimestamp(request.header(names.timestamp))
    checkDigest(request.header(names.contentDigest), request.body)
    const { method, url } = request
    return stringToSign(method, url(), request.headers(), names.signedPrefix)
  }
}

/** How it is known who sends a request. */
export type Proven = Pick<Caller, 'asked' | 'signed' | 'sealedAddress'>

const nowhere = () => undefined

/** `asked` digests the bytes of the signature: base64 has several texts for the same. */
export const provenBy = (
  { names, contentDigest, fingerprint }: Needs & Pick<AccessNeeds, 'fingerprint'>,
  { header }: UnauthenticatedRequest,
  { text, signature, publicKey }: Omit<SignedOrder, 'key'> & { readonly publicKey: string },
): Proven => ({
  asked: {
    at: parseDateTime(header(names.timestamp) ?? '') ?? 0,
    signature: contentDigest(Buffer.from(signature, 'base64')),
  },
  signed: { key: fingerprint(publicKey), text, signature },
  sealedAddress: nowhere,
})
