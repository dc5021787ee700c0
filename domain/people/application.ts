import { z } from 'zod'
import { switchable } from '../switchable.ts'

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
  }),
)
