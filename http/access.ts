import type { Names } from './brand.ts'
import { makeIntegratorAccess, type IntegratorNeeds } from './integrator-access.ts'
import type { AccessLevel, Caller } from './route.ts'
import { makeSignedText, unauthorized } from './signed-request.ts'

export type KnownUser = {
  readonly id: string
  readonly roles: readonly string[]
  readonly netmask: string | null
  readonly secretHash: string | null
  readonly publicKey: string | null
}

/** What authentication asks of the rest of the service. */
export type AccessNeeds = {
  readonly names: Names
  /** The user of a merchant, and the merchant's netmask; undefined when there is no such user. */
  readonly findUser: (
    merchant: string,
    user: string,
  ) => { readonly user: KnownUser; readonly merchantNetmask: string | null } | undefined
  /** Waits until the users are known as of now. */
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

/** Decides who makes a request to the merchant interface, or says which check failed (decisions 3). */
export const makeAccess = (needs: AccessNeeds & IntegratorNeeds) => {
  const { names } = needs
  const signedText = makeSignedText(needs)
  const byIntegrator = makeIntegratorAccess(needs)

  const lookUp = async (merchant: string, id: string) => {
    const known = needs.findUser(merchant, id)
    if (known) return known
    // It may have been made a moment ago, by this process or another.
    await needs.caughtUp()
    return needs.findUser(merchant, id)
  }
  type Found = Awaited<ReturnType<typeof lookUp>>

  const checkSecret = async (secret: string, id: string, found: Found): Promise<void> => {
    if (!(await needs.verifySecret(secret, found?.user.secretHash ?? null)))
      throw unauthorized(`Unknown user ${id}, or wrong secret.`)
  }

  const checkSignature = (signature: string, found: Found, request: Credentials): void => {
    const text = signedText(request)
    const publicKey = found?.user.publicKey ?? null
    if (publicKey === null || !needs.verifySignature(publicKey, text, signature))
      throw unauthorized('Unknown user, or bad signature.', { string_to_sign: [text] })
  }

  const checkNetmasks = (found: NonNullable<Found>, address: string | undefined): void => {
    for (const netmask of [found.user.netmask, found.merchantNetmask])
      if (netmask !== null && !needs.isWithin(address, netmask))
        throw unauthorized('Requests of this user may not come from this address.')
  }

  return async (level: AccessLevel, request: Credentials): Promise<Caller> => {
    if (level === 'INTEGRATOR' || request.header(names.integrator) !== undefined)
      return byIntegrator(level, request)
    const merchant = request.header(names.merchant)
    const id = request.header(names.user)
    const authorization = request.header('authorization')
    if (merchant === undefined) throw unauthorized(`The header ${names.merchant} is missing.`)
    if (id === undefined) throw unauthorized(`The header ${names.user} is missing.`)
    if (authorization === undefined) throw unauthorized('The header Authorization is missing.')
    const [, scheme = '', credential = ''] = /^(\S+) +(\S.*)$/.exec(authorization) ?? []
    const isKey = scheme.toUpperCase() === 'RSA-SHA256'
    if (!isKey && scheme.toUpperCase() !== 'SECRET')
      throw unauthorized('Authorization must be SECRET <secret> or RSA-SHA256 <signature>.')
    if (level === 'KEY' && !isKey)
      throw unauthorized('Level too low: this request must be signed with a key.')
    const found = await lookUp(merchant, id)
    if (isKey) checkSignature(credential, found, request)
    else await checkSecret(credential, id, found)
    if (!found) throw unauthorized(`Unknown user ${id}, or wrong secret.`)
    checkNetmasks(found, request.remoteAddress)
    return {
      merchant,
      actor: `user:${id}`,
      mayManageUsers: found.user.roles.includes('superuser'),
      isSigned: isKey,
    }
  }
}

export type Authenticate = ReturnType<typeof makeAccess>
