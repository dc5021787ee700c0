import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { aside, randomUUID, wallClock } from '../../application/machine.ts'
import type { TwinArrival } from '../../application/twin.ts'
import { staffTerms } from '../../domain/merchant/staff-roles.ts'
import type { Settings } from '../settings.ts'

/** Unlike all else that is signed here. */
const typ = 'daybook-twin+jwt'

const lifetimeSeconds = 60

const claims = z.object({
  merchant: z.string(),
  businessName: z.string(),
  currency: z.string(),
  country: z.string().nullable(),
  timeZone: z.string(),
  terms: staffTerms,
  person: z.string(),
  /** Names the browser that has asked, so that a link of one is of no use to another. */
  browser: z.string(),
  jti: z.string(),
})

type Arrival = TwinArrival & { readonly browser: string }

/**
 * Links from production to its sandbox, signed with a secret that both know: what the sandbox could
 * sign, production takes from nobody. Undefined where there is no other daybook.
 */
export const twinLinks = (
  { TWIN_URL, TWIN_SECRET }: Pick<Settings, 'TWIN_URL' | 'TWIN_SECRET'>,
  ownUrl: () => string,
) => {
  if (TWIN_URL === undefined || TWIN_SECRET === undefined) return undefined
  const key = new TextEncoder().encode(TWIN_SECRET)
  return {
    sign: async (arrival: Arrival): Promise<string> => {
      const seconds = Math.floor(wallClock() / 1000)
      const token = new SignJWT(arrival)
        .setProtectedHeader({ alg: 'HS256', typ })
        .setIssuer(ownUrl())
        .setAudience(TWIN_URL)
        .setJti(randomUUID())
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + lifetimeSeconds)
      return `${TWIN_URL}/payer/twin?token=${await aside(() => token.sign(key))}`
    },
    /** Undefined for a token that production has not signed for this sandbox in the last minute. */
    read: async (token: string): Promise<(Arrival & { readonly jti: string }) | undefined> => {
      const checks = { algorithms: ['HS256'], typ, issuer: TWIN_URL, audience: ownUrl() }
      const options = { ...checks, requiredClaims: ['exp'], currentDate: new Date(wallClock()) }
      try {
        const { payload } = await aside(() => jwtVerify(token, key, options))
        return claims.safeParse(payload).data
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
