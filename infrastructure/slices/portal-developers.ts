import type { Core } from '../core.ts'
import { makeFingerprints } from '../key-fingerprints.ts'
import { readPublicKey } from '../keys.ts'
import { isNetmask } from '../networks.ts'
import { newestRefusals } from '../newest-refusals.ts'
import { hashSecret } from '../people/secrets.ts'
import type { Settings } from '../settings.ts'
import type { callbackSlice } from './callbacks.ts'

const refusalsShown = 50

/** What developers of merchants see and do in the portal. */
export const portalDevelopers = (
  { merchants, people, refusals }: Core,
  { DATA_DIR }: Pick<Settings, 'DATA_DIR'>,
  { needs, sendTest }: ReturnType<typeof callbackSlice>,
) => {
  const key = people.vault.secret('refusals')
  return {
    ...needs,
    sendTestCallback: sendTest,
    users: merchants.users,
    fingerprintOf: makeFingerprints(),
    ...{ hashSecret, readPublicKey, isNetmask },
    refusalsOf: (merchant: string) => {
      refusals.flush()
      return newestRefusals(DATA_DIR, key, merchant, refusalsShown)
    },
  }
}
