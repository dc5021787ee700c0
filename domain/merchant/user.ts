import { z } from 'zod'
import { refuse } from '../refusal.ts'
import { register } from '../register.ts'
import { chosenId } from './chosen-id.ts'

export const roles = ['user', 'superuser'] as const

/** Used as a header value and as the last path segment. */
export const userId = chosenId(
  z.string().regex(/^[a-zA-Z0-9_.@-]+$/, 'Must be made of letters, digits and _ . @ -'),
)

/** Other characters do not survive an HTTP header. */
export const userSecret = z
  .string()
  .min(8)
  .max(64)
  .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'Must be printable ASCII without blanks around it.')

/** Signs requests of a merchant. The secret is stored as a slow salted hash. */
export const user = register(
  'User',
  z.object({
    merchant: z.string(),
    id: z.string(),
    roles: z.array(z.enum(roles)),
    /** CIDR that requests must come from; null allows all. */
    netmask: z.string().nullable(),
    secretHash: z.string().nullable(),
    /** RSA public key in PEM (SPKI). */
    publicKey: z.string().nullable(),
  }),
  ({ secretHash, publicKey }) => {
    if (secretHash === null && publicKey === null) refuse('user_has_no_credentials')
  },
)
