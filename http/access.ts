import { andThen, type MaybePromise } from '../application/maybe-promise.ts'
import { mayRefund } from '../domain/merchant/user.ts'
import type { AccessNeeds, FoundUser } from './access-needs.ts'
import type { Caller, UnauthenticatedRequest } from './call.ts'
import { makeIntegratorAccess, type IntegratorNeeds } from './integrator-access.ts'
import type { AccessLevel } from './route.ts'
import {
  disabledText,
  makeSignedText,
  forbiddenAddress,
  provenBy,
  unauthorized,
  type Proven,
} from './signed-request.ts'
import type { RequestUsage } from '../application/request-limits.ts'
import { RequestError } from './errors.ts'

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
export const usageHeaders = ({ of, limit, remaining, resetSeconds }: RequestUsage) => {
  const { perSecond, burst } = limit
  const window = Math.max(1, Math.ceil(burst / perSecond))
  return {
    'RateLimit-Policy': `"${of}";q=${burst};w=${window}`,
    RateLimit: `"${of}";r=${remaining};t=${resetSeconds}`,
  }
}

/** @throws RequestError 429 when it is over */
export const checkUsage = (usage: RequestUsage | undefined): RequestUsage | undefined => {
  if (!usage?.isOver) return usage
  const whose = usage.of === 'user' ? 'This user' : 'This merchant'
  const headers = { ...usageHeaders(usage), 'Retry-After': String(usage.resetSeconds) }
  const text = `${whose} asks too much: ${usage.limit.perSecond} requests a second are allowed.`
  throw new RequestError(429, text, null, headers)
}

type Known = { readonly found: NonNullable<FoundUser>; readonly proven: Proven }

const nobody = { actor: 'user:?' } as const

/** Authenticates requests to the merchant interface, or says which check failed (interface 3). */
export const makeAccess = (needs: AccessNeeds & IntegratorNeeds) => {
  const { names } = needs
  const signedText = makeSignedText(needs)
  const askIntegrator = makeIntegratorAccess(needs)

  /** Names that nobody has may be anything that somebody typed. */
  const record = (
    type: 'authentication_failed' | 'refused',
    reason: string,
    merchant: string,
    id: string,
    { remoteAddress: address }: UnauthenticatedRequest,
  ): void => {
    const who = needs.recallUser(merchant, id) ? { actor: `user:${id}`, merchant } : nobody
    needs.securityLog.record({ type, ...who, address, reason })
  }

  /**
   * Another process may have changed a user that memory refuses, so the log decides. Every refusal
   * costs one read of the log and one slow check, so timing does not tell which names exist; a
   * second check only when the user has changed.
   */
  const findRight = (
    merchant: string,
    id: string,
    isRight: (found: FoundUser) => MaybePromise<boolean>,
  ): MaybePromise<FoundUser> => {
    const known = needs.recallUser(merchant, id)
    const verdict = known && isRight(known)
    if (verdict === true) return known
    const askLog = async (): Promise<FoundUser> => {
      if (await verdict) return known
      const found = await needs.findUser(merchant, id)
      const isAsRemembered = known !== undefined && known.user === found?.user
      return !isAsRemembered && (await isRight(found)) ? found : undefined
    }
    return askLog()
  }

  /** Sealed only where an event keeps it. */
  const sealing = (address: string | undefined) => () =>
    address === undefined ? undefined : needs.sealAddress(address)

  const bySecret = (
    secret: string,
    merchant: string,
    id: string,
    { remoteAddress }: UnauthenticatedRequest,
  ): MaybePromise<Known> => {
    const wrong = () => unauthorized(`Unknown user ${id}, or wrong secret.`)
    const name = `${merchant}/${id}`
    const right = findRight(merchant, id, (found) =>
      needs.guardGuesses(
        name,
        remoteAddress,
        () => needs.verifySecret(secret, found?.user.secretHash ?? null, name, remoteAddress),
        () => (found ? { actor: `user:${id}`, merchant } : nobody),
        () => needs.isDigestOf(secret, found?.user.secretHash ?? null, found?.user.secretDigest),
      ),
    )
    const proven = { asked: undefined, signed: undefined, sealedAddress: sealing(remoteAddress) }
    // Answer at once when memory knows the user.
    return andThen(right, (found) => (found ? { found, proven } : wrong()))
  }

  const bySignature = async (
    signature: string,
    merchant: string,
    id: string,
    request: UnauthenticatedRequest,
  ): Promise<Known> => {
    const text = signedText(request)
    const right = await findRight(merchant, id, (found) =>
      needs.verifySignature(found?.user.publicKey ?? null, text, signature),
    )
    const publicKey = right?.user.publicKey
    if (right && publicKey)
      return { found: right, proven: provenBy(needs, request, { text, signature, publicKey }) }
    record('authentication_failed', 'bad signature', merchant, id, request)
    return unauthorized('Unknown user, or bad signature.', { string_to_sign: [text] })
  }

  /** Why a request with right credentials is refused. */
  const keptOutBy = (address: string | undefined, found: FoundUser): string | undefined => {
    const isWithin = (netmask: string | null) =>
      netmask === null || needs.isWithin(address, netmask)
    if (found?.disabled) return disabledText[found.disabled]
    if (!found || !isWithin(found.user.netmask)) return forbiddenAddress('of this user')
    return isWithin(found.merchantNetmask) ? undefined : forbiddenAddress('for this merchant')
  }

  /** A request whose body is yet to come is counted when it is there. */
  const admitted = (caller: Caller, { remoteAddress, body }: UnauthenticatedRequest): Caller => {
    if (body === undefined) return caller
    const usage = checkUsage(needs.admit(caller.merchant, caller.actor, remoteAddress))
    return usage ? { ...caller, usage } : caller
  }

  const isSuperuser = (found: FoundUser): boolean =>
    found?.user.roles.includes('superuser') ?? false

  return (level: AccessLevel, request: UnauthenticatedRequest): MaybePromise<Caller> => {
    if (level === 'INTEGRATOR' || request.header(names.integrator) !== undefined)
      return askIntegrator(level, request).then((caller) => admitted(caller, request))
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
    if (level === 'KEY' && !isKey) {
      record('refused', 'level too low', merchant, id, request)
      return unauthorized('Level too low: this request must be signed with a key.')
    }
    const right = isKey
      ? bySignature(credential, merchant, id, request)
      : bySecret(credential, merchant, id, request)
    const { remoteAddress: address } = request
    return andThen(right, ({ found, proven }): MaybePromise<Caller> => {
      const actor = `user:${id}`
      const caller: Caller = {
        merchant,
        actor,
        mayManageUsers: async () =>
          isSuperuser(found) || isSuperuser(await needs.findUser(merchant, id)),
        mayRefund: async () => {
          const now = await needs.findUser(merchant, id)
          return now !== undefined && mayRefund(now.user)
        },
        isSigned: isKey,
        ...proven,
      }
      if (keptOutBy(address, found) === undefined) return admitted(caller, request)
      return needs.findUser(merchant, id).then((now) => {
        const keptOut = keptOutBy(address, now)
        if (keptOut === undefined) return admitted(caller, request)
        record('refused', keptOut, merchant, id, request)
        return unauthorized(keptOut)
      })
    })
  }
}

export type Authenticate = ReturnType<typeof makeAccess>
