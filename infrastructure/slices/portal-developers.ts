import type { Core } from '../core.ts'
import { makeFingerprints } from '../key-fingerprints.ts'
import { readPublicKey } from '../keys.ts'
import { isNetmask } from '../networks.ts'
import { hashSecret } from '../people/secrets.ts'

/** What developers of merchants see and do in the portal. */
export const developersIn = ({ merchants }: Core) => ({
  users: merchants.users,
  fingerprintOf: makeFingerprints(),
  ...{ hashSecret, readPublicKey, isNetmask },
})
