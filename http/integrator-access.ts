import type { AccessNeeds } from './access-needs.ts'
import type { Caller } from './call.ts'
import type { AccessLevel } from './route.ts'
import { makeSignedText, unauthorized } from './signed-request.ts'
import type { UnauthenticatedRequest } from './unauthenticated-request.ts'

type KnownIntegrator = {
  readonly id: string
  readonly publicKey: string
  readonly merchants: readonly string[]
}

export type IntegratorNeeds = {
  /** From this process's memory. */
  readonly recallIntegrator: (id: string) => KnownIntegrator | undefined
  /** From the log. */
  readonly findIntegrator: (id: string) => Promise<KnownIntegrator | undefined>
  readonly netmaskOf: (merchant: string, asOf: 'memory' | 'log') => Promise<string | null>
}

/**
 * An integrator signs with its own key and acts only for merchants that it serves (interface 3).
 */
export const makeIntegratorAccess = (needs: AccessNeeds & IntegratorNeeds) => {
  const { names } = needs
  const signedText = makeSignedText(needs)

  const signatureOf = (request: UnauthenticatedRequest): string => {
    const authorization = request.header('authorization')
    if (authorization === undefined) return unauthorized('The header Authorization is missing.')
    const [, signature] = /^RSA-SHA256 +(\S.*)$/i.exec(authorization) ?? []
    return signature ?? unauthorized('Level too low: an integrator must sign with its key.')
  }

  /** `merchant` is undefined for requests about no particular merchant. */
  const check = async (
    id: string,
    merchant: string | undefined,
    request: UnauthenticatedRequest,
  ): Promise<void> => {
    const signature = signatureOf(request)
    const text = signedText(request)
    let hasSigned = false
    // Another process may have changed what memory refuses, so the log decides.
    for (const find of [needs.recallIntegrator, needs.findIntegrator]) {
      const found = await find(id)
      hasSigned = needs.verifySignature(found?.publicKey ?? null, text, signature)
      if (hasSigned && (merchant === undefined || found?.merchants.includes(merchant))) return
    }
    if (!hasSigned)
      return unauthorized('Unknown integrator, or bad signature.', { string_to_sign: [text] })
    return unauthorized('The integrator does not serve this merchant.')
  }

  const checkNetmask = async (
    merchant: string,
    { remoteAddress }: UnauthenticatedRequest,
  ): Promise<void> => {
    for (const asOf of ['memory', 'log'] as const) {
      const netmask = await needs.netmaskOf(merchant, asOf)
      if (netmask === null || needs.isWithin(remoteAddress, netmask)) return
    }
    return unauthorized('Requests for this merchant may not come from this address.')
  }

  return async (level: AccessLevel, request: UnauthenticatedRequest): Promise<Caller> => {
    const id = request.header(names.integrator)
    if (id === undefined) return unauthorized(`The header ${names.integrator} is missing.`)
    if (request.header(names.user) !== undefined)
      return unauthorized(`Send either ${names.user} or ${names.integrator}.`)
    const who = { actor: `integrator:${id}`, mayManageUsers: async () => true, isSigned: true }
    if (level === 'INTEGRATOR') {
      await check(id, undefined, request)
      return { ...who, merchant: '' }
    }
    const merchant = request.header(names.merchant)
    if (merchant === undefined) return unauthorized(`The header ${names.merchant} is missing.`)
    await check(id, merchant, request)
    await checkNetmask(merchant, request)
    return { ...who, merchant }
  }
}
