import { z } from 'zod'
import { switchable } from '../switchable.ts'
import { instant } from '../time.ts'

/** An OAuth client of a merchant. */
export const application = switchable(
  'Application',
  z.object({
    clientId: z.string(),
    merchant: z.string(),
    name: z.string(),
    redirectUris: z.array(z.string()),
    /** SHA-256 of a 256-bit secret; null for public clients. */
    secretHash: z.string().nullable(),
    /** The previous secret, accepted until `until`. */
    previousSecret: z.object({ hash: z.string(), until: instant }).optional(),
    /** Absent for confidential clients registered before PKCE was required. */
    requiresPkce: z.literal(true).optional(),
    /** Its tokens must be bound to a key of the client (RFC 9449, 5.2). */
    requiresDpop: z.literal(true).optional(),
  }),
)
