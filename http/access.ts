import type { AccessNeeds, Credentials, FoundUser } from './credentials.ts'
import { makeIntegratorAccess, type IntegratorNeeds } from './integrator-access.ts'
import type { AccessLevel, Caller } from './route.ts'
import { makeSignedText, unauthorized } from './signed-request.ts'

/** Decides who makes a request to the merchant interface, or says which check failed (decisions 3). */
export const makeAccess = (needs: AccessNeeds & IntegratorNeeds) => {
  const { names } = needs
  const signedText = makeSignedText(needs)
  const byIntegrator = makeIntegratorAccess(needs)

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
    const text = signedText(request)
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
    if (level === 'INTEGRATOR' || request.header(names.integrator) !== undefined)
      return byIntegrator(level, request)
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
      actor: `user:${id}`,
      mayManageUsers: found.user.roles.includes('superuser'),
      isSigned: isKey,
    }
  }
}

export type Authenticate = ReturnType<typeof makeAccess>
