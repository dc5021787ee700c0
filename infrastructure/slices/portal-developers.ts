import type { Core } from '../core.ts'
import { makeFingerprints } from '../key-fingerprints.ts'
import { readPublicKey } from '../keys.ts'
import { isNetmask } from '../networks.ts'
import { newestRefusals } from '../newest-refusals.ts'
import { hashSecret } from '../people/secrets.ts'
import type { CallbackSlice } from './callbacks.ts'

/** What developers of merchants see and do in the portal. */
export const portalDevelopers = (core: Core, { needs }: CallbackSlice) => ({
  ...needs,
  users: core.merchants.users,
  fingerprintOf: makeFingerprints(),
  ...{ hashSecret, readPublicKey, isNetmask },
  refusalsOf: newestRefusals(core),
})
