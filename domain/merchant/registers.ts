import { z } from 'zod'
import { switchable } from '../switchable.ts'
import { register } from '../register.ts'
import { instant } from '../time.ts'

/**
 * A code that payers scan. Its id is unique across merchants, because the code holds nothing else.
 */
export const shortlink = register(
  'Shortlink',
  z.object({
    merchant: z.string(),
    id: z.string(),
    callbackUri: z.string().nullable(),
    description: z.string().nullable(),
    serialNumber: z.string().nullable(),
  }),
)

/** Maximum rate per second, and maximum burst. */
export const mostRequests = 1_000_000

/** Request rate of a merchant or one of its callers; set by the operator. */
export const requestLimit = register(
  'RequestLimit',
  z.object({
    merchant: z.string(),
    /** As in event metadata, such as `user:pos1`; null for the merchant as a whole. */
    caller: z.string().nullable(),
    perSecond: z.int().positive().max(mostRequests),
    burst: z.int().positive().max(mostRequests),
  }),
)

/** Public keys of callback signatures; private keys stay on their node. */
export const signingKey = register(
  'SigningKey',
  z.object({
    id: z.string(),
    /** PEM (SPKI). */
    rsa: z.string(),
    /** PEM (SPKI). */
    ed25519: z.string(),
    validFrom: instant,
  }),
)

/** Acts for merchants with its own key. */
export const integrator = switchable(
  'Integrator',
  z.object({
    id: z.string(),
    name: z.string(),
    /** RSA public key in PEM (SPKI). */
    publicKey: z.string(),
    merchants: z.array(z.string()),
  }),
)
