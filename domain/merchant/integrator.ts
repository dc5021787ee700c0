import { z } from 'zod'
import { register } from '../register.ts'

/** Someone who acts for merchants by a key of its own. */
export const integrator = register(
  'Integrator',
  z.object({
    id: z.string(),
    name: z.string(),
    /** RSA public key in PEM (SPKI). */
    publicKey: z.string(),
    /** The merchants that it serves. */
    merchants: z.array(z.string()),
  }),
)
