import type { AccessNeeds, Credentials } from './access.ts'
import type { AccessLevel, Caller } from './route.ts'
import { makeSignedText, unauthorized } from './signed-request.ts'

export type KnownIntegrator = {
  readonly id: string
  readonly publicKey: string
  /** The merchants that it serves. */
  readonly merchants: readonly string[]
}

/** What it takes to know an integrator. */
export type IntegratorNeeds = {
  readonly findIntegrator: (id: string) => KnownIntegrator | undefined
  readonly findNetmask: (merchant: string) => string | null
  /** Waits until integrators are known as of now. */
  readonly caughtUp: () => Promise<void>
}

/** An integrator authenticates with its own key only, and acts only for merchants that it serves (decisions 3). */
export const makeIntegratorAccess = (needs: AccessNeeds & IntegratorNeeds) => {
  const { names, findIntegrator, verifySignature } = needs
  const signedText = makeSignedText(needs)

  const signatureOf = (request: Credentials): string => {
    const authorization = request.header('authorization')
    if (authorization === undefined) throw unauthorized('The header Authorization is missing.')
    const [, signature] = /^RSA-SHA256 +(\S.*)$/i.exec(authorization) ?? []
    if (signature === undefined)
      throw unauthorized('Level too low: an integrator must sign with its key.')
    return signature
  }

  const isRight = (
    integrator: KnownIntegrator | undefined,
    text: string,
    signature: string,
    merchant: string | undefined,
  ): boolean =>
    integrator !== undefined &&
    verifySignature(integrator.publicKey, text, signature) &&
    (merchant === undefined || integrator.merchants.includes(merchant))

  /** `merchant` is undefined for requests that are about none in particular. */
  const check = async (
    id: string,
    merchant: string | undefined,
    request: Credentials,
  ): Promise<void> => {
    const signature = signatureOf(request)
    const text = signedText(request)
    if (isRight(findIntegrator(id), text, signature, merchant)) return
    // What is not right may have become so a moment ago, by this process or another.
    await needs.caughtUp()
    const found = findIntegrator(id)
    if (!isRight(found, text, signature, undefined))
      throw unauthorized('Unknown integrator, or bad signature.', { string_to_sign: [text] })
    if (!isRight(found, text, signature, merchant))
      throw unauthorized('The integrator does not serve this merchant.')
  }

  const checkNetmask = (merchant: string, { remoteAddress }: Credentials): void => {
    const netmask = needs.findNetmask(merchant)
    if (netmask !== null && !needs.isWithin(remoteAddress, netmask))
      throw unauthorized('Requests for this merchant may not come from this address.')
  }

  return async (level: AccessLevel, request: Credentials): Promise<Caller> => {
    const id = request.header(names.integrator)
    if (id === undefined) throw unauthorized(`The header ${names.integrator} is missing.`)
    if (request.header(names.user) !== undefined)
      throw unauthorized(`Send either ${names.user} or ${names.integrator}.`)
    const who = { actor: `integrator:${id}`, mayManageUsers: true, isSigned: true }
    if (level === 'INTEGRATOR') {
      await check(id, undefined, request)
      return { ...who, merchant: '' }
    }
    const merchant = request.header(names.merchant)
    if (merchant === undefined) throw unauthorized(`The header ${names.merchant} is missing.`)
    await check(id, merchant, request)
    checkNetmask(merchant, request)
    return { ...who, merchant }
  }
}
