import { z } from 'zod'
import { register } from '../register.ts'

/** An OAuth client of a merchant. */
export const application = register(
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
