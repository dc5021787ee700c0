import { z } from 'zod'
import { refuse } from '../refusal.ts'
import { register } from '../register.ts'
import { chosenId } from './chosen-id.ts'

export const roles = ['user', 'superuser'] as const

/** It is the value of a header, and the last segment of a path. */
export const userId = chosenId(
  z.string().regex(/^[a-zA-Z0-9_.@-]+$/, 'Must be made of letters, digits and _ . @ -'),
)

/** Anything else does not come out of a header as it was put in. */
export const userSecret = z
  .string()
  .min(8)
  .max(64)
  .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'Must be printable ASCII without blanks around it.')

/** An API user of a merchant: who signs requests. The secret is kept only as a slow salted hash. */
export const user = register(
  'User',
  z.object({
    merchant: z.string(),
    id: z.string(),
    roles: z.array(z.enum(roles)),
    /** CIDR of the addresses that requests may come from; null for all. */
    netmask: z.string().nullable(),
    secretHash: z.string().nullable(),
    /** RSA public key in PEM (SPKI). */
    publicKey: z.string().nullable(),
  }),
  ({ secretHash, publicKey }) => {
    if (secretHash === null && publicKey === null) refuse('user_has_no_credentials')
  },
)
