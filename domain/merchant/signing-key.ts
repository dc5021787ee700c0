import { z } from 'zod'
import { register } from '../register.ts'
import { instant } from '../time.ts'

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
