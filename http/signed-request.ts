import type { SignedOrder } from '../domain/cause.ts'
import type { AccessNeeds } from './access-needs.ts'
import { type Caller, contextOf, type Call, type UnauthenticatedRequest } from './call.ts'
import { RequestError } from './errors.ts'
import { parseDateTime } from './wire.ts'
import type { Context } from '../application/handle.ts'

/** In bytes. */
export const longestKept = 1_000

/** Whether the text is an object of these members and no others. */
export const holdsOnly = (text: string, members: readonly string[]): boolean => {
  try {
    return Object.keys(JSON.parse(text) as object).every((name) => members.includes(name))
  } catch {
    return false
  }
}

/**
 * The context of a request that changes what these members of its body say. The body of a signed
 * one is kept with its signature, so that the event can be proved to be what was ordered; not one
 * with other members, which may hold anything.
 */
export const contextOfOrder = (call: Call, members: readonly string[]): Context => {
  const context = contextOf(call)
  const { signed } = context
  const { body: bytes } = call.request
  if (!signed || bytes.length > longestKept) return context
  const body = Buffer.from(bytes).toString()
  return bytes.length === 0 || holdsOnly(body, members)
    ? { ...context, signed: { ...signed, body } }
    : context
}

/** Scheme and host in lower case, no fragment, the rest unchanged. */
export const urlToSign = (url: string): string => {
  const [, origin = '', rest = ''] = /^([^:/?#]+:\/\/[^/?#]*)([^#]*)/.exec(url) ?? []
  return origin.toLowerCase() + rest
}

/**
 * The text to sign of a request or callback (interface 3): `METHOD|url|headers`. Headers are those
 * with the brand's prefix, in upper case and sorted, as `NAME=value` joined with `&`.
 */
export const stringToSign = (
  method: string,
  url: string,
  headers: Iterable<readonly [string, string]>,
  signedPrefix: string,
): string => {
  const signed: [string, string][] = []
  for (const [name, value] of headers) {
    const upper = name.toUpperCase()
    if (upper.startsWith(signedPrefix)) signed.push([upper, value])
  }
  signed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const pairs = signed.map(([name, value]) => `${name}=${value}`)
  return `${method.toUpperCase()}|${urlToSign(url)}|${pairs.join('&')}`
}

/** One challenge per scheme (RFC 9110, section 11.6.1). */
const challenges = 'SECRET realm="merchant", RSA-SHA256 realm="merchant"'

/** Told only to those who have authenticated. */
export const disabledText = {
  user: 'This user is disabled: ask the operator of the service.',
  integrator: 'This integrator is disabled: ask the operator of the service.',
  merchant: 'This merchant is disabled: ask the operator of the service.',
} as const

export const forbiddenAddress = (whose: string): string =>
  `Requests ${whose} may not come from this address.`

/** @throws RequestError 401 */
export const unauthorized = (
  description: string,
  details: Record<string, string[]> | null = null,
  toSign = details?.['string_to_sign']?.[0],
): never => {
  const headers = { 'WWW-Authenticate': challenges }
  throw new RequestError(401, description, details, headers, toSign)
}

type Needs = Pick<AccessNeeds, 'names' | 'contentDigest' | 'machineNow' | 'clockToleranceMs'>

/** The text to verify, once timestamp and digest are right. @throws RequestError 401 */
export const makeSignedText = (needs: Needs) => {
  const { names } = needs

  const timestampProblem = (text: string | undefined): string | undefined => {
    if (text === undefined) return `The header ${names.timestamp} is missing.`
    const at = parseDateTime(text)
    if (at === undefined) return `${names.timestamp} must be a UTC time as YYYY-MM-DD hh:mm:ss.`
    return Math.abs(needs.machineNow() - at) > needs.clockToleranceMs
      ? `${names.timestamp} is stale: too far from the real time.`
      : undefined
  }

  const digestProblem = (
    digest: string | undefined,
    body: Uint8Array | undefined,
  ): string | undefined => {
    if (digest === undefined) return `The header ${names.contentDigest} is missing.`
    return body !== undefined && digest !== needs.contentDigest(body)
      ? `${names.contentDigest} does not match the body: digest mismatch.`
      : undefined
  }

  return (request: UnauthenticatedRequest): string => {
    const { method, url } = request
    const text = stringToSign(method, url(), request.headers(), names.signedPrefix)
    const problem =
      timestampProblem(request.header(names.timestamp)) ??
      digestProblem(request.header(names.contentDigest), request.body)
    return problem === undefined ? text : unauthorized(problem, null, text)
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
