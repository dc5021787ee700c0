import { z } from 'zod'
import { register } from '../register.ts'

/** An OAuth application of a merchant: who may ask payers for consent, and where they are sent back to. */
export const application = register(
  'Application',
  z.object({
    clientId: z.string(),
    merchant: z.string(),
    name: z.string(),
    redirectUris: z.array(z.string()),
    /** SHA-256 of the client secret, which has 256 random bits; null for a public client, which has none. */
    secretHash: z.string().nullable(),
  }),
)
