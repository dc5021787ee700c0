import type { AccessNeeds } from './access-needs.ts'
import type { Caller, UnauthenticatedRequest } from './call.ts'
import type { AccessLevel } from './route.ts'
import {
  disabledText,
  makeSignedText,
  forbiddenAddress,
  provenBy,
  unauthorized,
  type Proven,
} from './signed-request.ts'

type KnownIntegrator = {
  readonly id: string
  readonly publicKey: string
  readonly merchants: readonly string[]
  readonly isDisabled: boolean
}

export type IntegratorNeeds = {
  /** From this process's memory. */
  readonly recallIntegrator: (id: string) => KnownIntegrator | undefined
  /** From the log. */
  readonly findIntegrator: (id: string) => Promise<KnownIntegrator | undefined>
  /** Undefined when there is no such merchant. */
  readonly findMerchant: (
    merchant: string,
    asOf: 'memory' | 'log',
  ) => Promise<{ readonly netmask: string | null; readonly isDisabled: boolean } | undefined>
}

/** @throws RequestError 401 for a disabled merchant, or one with another network */
const makeMerchantCheck =
  (needs: AccessNeeds & IntegratorNeeds) =>
  async (
    actor: string,
    merchant: string,
    { remoteAddress: address }: UnauthenticatedRequest,
  ): Promise<void> => {
    let isDisabled = false
    for (const asOf of ['memory', 'log'] as const) {
      const found = await needs.findMerchant(merchant, asOf)
      const netmask = found?.netmask ?? null
      isDisabled = found?.isDisabled ?? false
      const isFromHere = netmask === null || needs.isWithin(address, netmask)
      if (isFromHere && !isDisabled) return
    }
    const reason = isDisabled ? disabledText.merchant : forbiddenAddress('for this merchant')
    needs.securityLog.record({ type: 'refused', actor, merchant, address, reason })
    return unauthorized(reason)
  }

/** @throws RequestError 401 unless the integrator has signed, and serves the merchant */
const makeIntegratorCheck = (needs: AccessNeeds & IntegratorNeeds) => {
  const signedText = makeSignedText(needs)

  const signatureOf = (request: UnauthenticatedRequest): string => {
    const authorization = request.header('authorization')
    if (authorization === undefined) return unauthorized('The header Authorization is missing.')
    const [, signature] = /^RSA-SHA256 +(\S.*)$/i.exec(authorization) ?? []
    return signature ?? unauthorized('Level too low: an integrator must sign with its key.')
  }

  /** `merchant` is undefined for requests about no particular merchant. */
  return async (
    id: string,
    merchant: string | undefined,
    request: UnauthenticatedRequest,
  ): Promise<Proven> => {
    const signature = signatureOf(request)
    const text = signedText(request)
    let hasSigned = false
    let isDisabled = false
    // Another process may have changed what memory refuses, so the log decides.
    for (const find of [needs.recallIntegrator, needs.findIntegrator]) {
      const found = await find(id)
      hasSigned = needs.verifySignature(found?.publicKey ?? null, text, signature)
      isDisabled = found?.isDisabled ?? false
      const serves = merchant === undefined || found?.merchants.includes(merchant)
      if (found && hasSigned && serves && !isDisabled)
        return provenBy(needs, request, { text, signature, publicKey: found.publicKey })
    }
    const isKnown = needs.recallIntegrator(id) !== undefined
    const actor = isKnown ? `integrator:${id}` : 'integrator:?'
    const { remoteAddress: address } = request
    if (!hasSigned) {
      const reason = 'bad signature'
      needs.securityLog.record({ type: 'authentication_failed', actor, address, reason })
      return unauthorized('Unknown integrator, or bad signature.', { string_to_sign: [text] })
    }
    const reason = isDisabled
      ? disabledText.integrator
      : 'The integrator does not serve this merchant.'
    needs.securityLog.record({ type: 'refused', actor, address, reason })
    return unauthorized(reason)
  }
}

/**
 * An integrator signs with its own key and acts only for merchants that it serves (interface 3).
 */
export const makeIntegratorAccess = (needs: AccessNeeds & IntegratorNeeds) => {
  const { names } = needs
  const check = makeIntegratorCheck(needs)
  const checkMerchant = makeMerchantCheck(needs)

  return async (level: AccessLevel, request: UnauthenticatedRequest): Promise<Caller> => {
    const id = request.header(names.integrator)
    if (id === undefined) return unauthorized(`The header ${names.integrator} is missing.`)
    if (request.header(names.user) !== undefined)
      return unauthorized(`Send either ${names.user} or ${names.integrator}.`)
    const actor = `integrator:${id}`
    const may = async () => true
    const who = { actor, mayManageUsers: may, mayRefund: may, isSigned: true }
    if (level === 'INTEGRATOR') {
      const proven = await check(id, undefined, request)
      return { ...who, merchant: '', ...proven }
    }
    const merchant = request.header(names.merchant)
    if (merchant === undefined) return unauthorized(`The header ${names.merchant} is missing.`)
    const proven = await check(id, merchant, request)
    await checkMerchant(who.actor, merchant, request)
    return { ...who, merchant, ...proven }
  }
}
