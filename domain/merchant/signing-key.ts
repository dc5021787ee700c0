import { z } from 'zod'
import { register } from '../register.ts'

/** The public half of a pair of keys that a node signs callbacks with; the private halves never leave that node. */
export const signingKey = register(
  'SigningKey',
  z.object({
    id: z.string(),
    /** PEM (SPKI). */
    rsa: z.string(),
    /** PEM (SPKI). */
    ed25519: z.string(),
    validFrom: z.int(),
  }),
)
