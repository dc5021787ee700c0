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

export type KnownIntegrator = {
  readonly id: string
  readonly publicKey: string
  /** The merchants that it serves. */
  readonly merchants: readonly string[]
}

/** What authentication asks of the rest of the service. */
export type AccessNeeds = {
  readonly names: Names
  /** The user of a merchant, and the merchant's netmask; undefined when there is no such user. */
  readonly findUser: (
    merchant: string,
    user: string,
  ) => { readonly user: KnownUser; readonly merchantNetmask: string | null } | undefined
  readonly findIntegrator: (id: string) => KnownIntegrator | undefined
  readonly findNetmask: (merchant: string) => string | null
  /** Waits until users and integrators are known as of now. */
  readonly caughtUp: () => Promise<void>
  /** Whether a secret belongs to a slow hash; as slow for no hash at all. */
  readonly verifySecret: (secret: string, hash: string | null) => Promise<boolean>
  readonly verifySignature: (publicKey: string, text: string, signature: string) => boolean
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

const unauthorized = (description: string, details: Record<string, string[]> | null = null) =>
  new RequestError(401, description, details)

/** Decides who makes a request to the merchant interface, or says which check failed (decisions 3). */
export const makeAccess = (needs: AccessNeeds) => {
  const { names } = needs

  /** What is not known may have been made a moment ago, by this process or another. */
  const known = async <Found>(find: () => Found | undefined): Promise<Found | undefined> => {
    const found = find()
    if (found) return found
    await needs.caughtUp()
    return find()
  }

  const checkTimestamp = (text: string | undefined): void => {
    if (text === undefined) throw unauthorized(`The header ${names.timestamp} is missing.`)
    const at = parseDateTime(text)
    if (at === undefined)
      throw unauthorized(`${names.timestamp} must be a UTC time as YYYY-MM-DD hh:mm:ss.`)
    if (Math.abs(needs.machineNow() - at) > needs.clockToleranceMs)
      throw unauthorized(`${names.timestamp} is stale: too far from the time of the service.`)
  }

  const checkSignature = (
    signature: string,
    publicKey: string | null,
    who: 'user' | 'integrator',
    request: Credentials,
  ): void => {
    checkTimestamp(request.header(names.timestamp))
    const digest = request.header(names.contentDigest)
    if (digest === undefined) throw unauthorized(`The header ${names.contentDigest} is missing.`)
    if (digest !== needs.contentDigest(request.body))
      throw unauthorized(`${names.contentDigest} does not match the body: digest mismatch.`)
    const { method, url } = request
    const text = stringToSign(method, urlToSign(url), request.headers(), names.signedPrefix)
    if (publicKey === null || !needs.verifySignature(publicKey, text, signature))
      throw unauthorized(`Unknown ${who}, or bad signature.`, { string_to_sign: [text] })
  }

  const checkNetmasks = (netmasks: readonly (string | null)[], request: Credentials): void => {
    for (const netmask of netmasks)
      if (netmask !== null && !needs.isWithin(request.remoteAddress, netmask))
        throw unauthorized('Requests of this user may not come from this address.')
  }

  const required = (value: string | undefined, name: string): string => {
    if (value === undefined) throw unauthorized(`The header ${name} is missing.`)
    return value
  }

  const credentialOf = (request: Credentials): { isKey: boolean; credential: string } => {
    const authorization = required(request.header('authorization'), 'Authorization')
    const [, scheme = '', credential = ''] = /^(\S+) +(\S.*)$/.exec(authorization) ?? []
    const isKey = scheme.toUpperCase() === 'RSA-SHA256'
    if (!isKey && scheme.toUpperCase() !== 'SECRET')
      throw unauthorized('Authorization must be SECRET <secret> or RSA-SHA256 <signature>.')
    return { isKey, credential }
  }

  const user = async (level: AccessLevel, request: Credentials): Promise<Caller> => {
    const merchant = required(request.header(names.merchant), names.merchant)
    const id = required(request.header(names.user), names.user)
    const { isKey, credential } = credentialOf(request)
    if (level === 'KEY' && !isKey)
      throw unauthorized('Level too low: this request must be signed with a key.')
    const found = await known(() => needs.findUser(merchant, id))
    if (isKey) checkSignature(credential, found?.user.publicKey ?? null, 'user', request)
    else if (!(await needs.verifySecret(credential, found?.user.secretHash ?? null)) || !found)
      throw unauthorized(`Unknown user ${id}, or wrong secret.`)
    if (!found) throw unauthorized('Unknown user, or bad signature.')
    checkNetmasks([found.user.netmask, found.merchantNetmask], request)
    const mayManageUsers = found.user.roles.includes('superuser')
    return { merchant, actor: `user:${id}`, mayManageUsers, isSigned: isKey }
  }

  /** An integrator authenticates with its own key only, and acts only for merchants that it serves. */
  const integrator = async (
    id: string,
    merchant: string | undefined,
    request: Credentials,
  ): Promise<Caller> => {
    if (request.header(names.user) !== undefined)
      throw unauthorized(`Send either ${names.user} or ${names.integrator}.`)
    const { isKey, credential } = credentialOf(request)
    if (!isKey) throw unauthorized('Level too low: an integrator must sign with its key.')
    const find = () => needs.findIntegrator(id)
    let found = await known(find)
    checkSignature(credential, found?.publicKey ?? null, 'integrator', request)
    if (merchant !== undefined) {
      if (!found?.merchants.includes(merchant)) {
        await needs.caughtUp()
        found = find()
      }
      if (!found?.merchants.includes(merchant))
        throw unauthorized('The integrator does not serve this merchant.')
      checkNetmasks([needs.findNetmask(merchant)], request)
    }
    return {
      merchant: merchant ?? '',
      actor: `integrator:${id}`,
      mayManageUsers: true,
      isSigned: true,
    }
  }

  return async (level: AccessLevel, request: Credentials): Promise<Caller> => {
    const integratorId = request.header(names.integrator)
    if (level === 'INTEGRATOR')
      return integrator(required(integratorId, names.integrator), undefined, request)
    if (integratorId === undefined) return user(level, request)
    const merchant = required(request.header(names.merchant), names.merchant)
    return integrator(integratorId, merchant, request)
  }
}

export type Authenticate = ReturnType<typeof makeAccess>
