import { z } from 'zod'
import { switchable } from '../switchable.ts'

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
