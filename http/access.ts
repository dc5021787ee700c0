import { parseDateTime } from './wire.ts'
import type { Names } from './brand.ts'
import { RequestError } from './errors.ts'
import type { AccessLevel, Caller } from './route.ts'
import { stringToSign, urlToSign } from './signature.ts'

export type KnownUser = {
  readonly id: string
  readonly roles: readonly string[]
  readonly netmask: string | null
  readonly secretHash: string | null
  readonly publicKey: string | null
}

/** A user with the netmask of its merchant; undefined when there is no such user. */
export type FoundUser =
  { readonly user: KnownUser; readonly merchantNetmask: string | null } | undefined

/** What authentication asks of the rest of the service. */
export type AccessNeeds = {
  readonly names: Names
  /** The user of a merchant as this process remembers it. */
  readonly recallUser: (merchant: string, user: string) => FoundUser
  /** The user of a merchant as it stands in the log now. */
  readonly findUser: (merchant: string, user: string) => Promise<FoundUser>
  /** Whether a secret belongs to a slow hash; as slow for no hash at all. */
  readonly verifySecret: (secret: string, hash: string | null) => Promise<boolean>
  /** Whether a signature was made with the key of a public key; as slow for no key at all. */
  readonly verifySignature: (publicKey: string | null, text: string, signature: string) => boolean
  readonly contentDigest: (body: Uint8Array) => string
  readonly isWithin: (address: string | undefined, netmask: string) => boolean
  /** The machine's own clock, which the sandbox does not move. */
  readonly machineNow: () => number
  readonly clockToleranceMs: number
}

export type Credentials = {
  readonly method: string
  /** As the client saw it, with its query. */
  readonly url: string
  readonly header: (name: string) => string | undefined
  readonly headers: () => Iterable<readonly [string, string]>
  readonly remoteAddress: string | undefined
  readonly body: Uint8Array
}

const unauthorized = (
  description: string,
  details: Record<string, string[]> | null = null,
): never => {
  throw new RequestError(401, description, details)
}

/** Decides who makes a request to the merchant interface, or says which check failed (decisions 3). */
export const makeAccess = (needs: AccessNeeds) => {
  const { names } = needs

  /**
   * What memory refuses may have changed a moment ago, in another process too, so the log has the last word. Every
   * refusal takes all of these steps, whether the user is unknown or the credential is wrong.
   */
  const findRight = async (
    merchant: string,
    id: string,
    isRight: (found: FoundUser) => Promise<boolean> | boolean,
  ): Promise<FoundUser> => {
    for (const find of [needs.recallUser, needs.findUser]) {
      const found = await find(merchant, id)
      if ((await isRight(found)) && found) return found
    }
    return undefined
  }

  const checkTimestamp = (text: string | undefined): void => {
    if (text === undefined) return unauthorized(`The header ${names.timestamp} is missing.`)
    const at = parseDateTime(text)
    if (at === undefined)
      return unauthorized(`${names.timestamp} must be a UTC time as YYYY-MM-DD hh:mm:ss.`)
    if (Math.abs(needs.machineNow() - at) > needs.clockToleranceMs)
      return unauthorized(`${names.timestamp} is stale: too far from the time of the service.`)
  }

  const checkDigest = (digest: string | undefined, body: Uint8Array): void => {
    if (digest === undefined) return unauthorized(`The header ${names.contentDigest} is missing.`)
    if (digest !== needs.contentDigest(body))
      return unauthorized(`${names.contentDigest} does not match the body: digest mismatch.`)
  }

  const bySecret = async (secret: string, merchant: string, id: string) =>
    (await findRight(merchant, id, (found) =>
      needs.verifySecret(secret, found?.user.secretHash ?? null),
    )) ?? unauthorized(`Unknown user ${id}, or wrong secret.`)

  const bySignature = async (
    signature: string,
    merchant: string,
    id: string,
    request: Credentials,
  ) => {
    checkTimestamp(request.header(names.timestamp))
    checkDigest(request.header(names.contentDigest), request.body)
    const { method, url } = request
    const text = stringToSign(method, urlToSign(url), request.headers(), names.signedPrefix)
    return (
      (await findRight(merchant, id, (found) =>
        needs.verifySignature(found?.user.publicKey ?? null, text, signature),
      )) ?? unauthorized('Unknown user, or bad signature.', { string_to_sign: [text] })
    )
  }

  const checkNetmasks = (found: NonNullable<FoundUser>, address: string | undefined): void => {
    for (const netmask of [found.user.netmask, found.merchantNetmask])
      if (netmask !== null && !needs.isWithin(address, netmask))
        return unauthorized('Requests of this user may not come from this address.')
  }

  return async (level: AccessLevel, request: Credentials): Promise<Caller> => {
    const merchant = request.header(names.merchant)
    const id = request.header(names.user)
    const authorization = request.header('authorization')
    if (merchant === undefined) return unauthorized(`The header ${names.merchant} is missing.`)
    if (id === undefined) return unauthorized(`The header ${names.user} is missing.`)
    if (authorization === undefined) return unauthorized('The header Authorization is missing.')
    const [, scheme = '', credential = ''] = /^(\S+) +(\S.*)$/.exec(authorization) ?? []
    const isKey = scheme.toUpperCase() === 'RSA-SHA256'
    if (!isKey && scheme.toUpperCase() !== 'SECRET')
      return unauthorized('Authorization must be SECRET <secret> or RSA-SHA256 <signature>.')
    if (level === 'KEY' && !isKey)
      return unauthorized('Level too low: this request must be signed with a key.')
    const found = await (isKey
      ? bySignature(credential, merchant, id, request)
      : bySecret(credential, merchant, id))
    checkNetmasks(found, request.remoteAddress)
    return {
      merchant,
      user: id,
      isSuperuser: found.user.roles.includes('superuser'),
      isSigned: isKey,
    }
  }
}

export type Authenticate = ReturnType<typeof makeAccess>
