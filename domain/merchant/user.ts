import { z } from 'zod'
import { refuse } from '../refusal.ts'
import { register } from '../register.ts'

export const roles = ['user', 'superuser'] as const

/** An id is the value of a header, and the last segment of a path. */
export const userIdPattern = /^[a-zA-Z0-9_.@-]+$/

/** Anything else does not come out of a header as it was put in. */
export const secretPattern = /^[!-~](?:[ -~]*[!-~])?$/

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
