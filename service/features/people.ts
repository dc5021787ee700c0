import { authorizationsOf } from '../../application/authorize.ts'
import { expirePermissions } from '../../application/expire-requests.ts'
import { answerPermission, requestPermission } from '../../application/permissions.ts'
import type { Links } from '../../http/addresses.ts'
import { strangerLockouts } from '../../infrastructure/people/stranger-lockouts.ts'
import { newClientBy } from '../../infrastructure/people/id-tokens.ts'
import { strangersInStreams } from '../../infrastructure/vault-streams/stranger-lockouts.ts'
import { strangersIn } from '../../infrastructure/stores.ts'
import type { About } from '../about.ts'
import type { Core } from '../core.ts'
import type { Granted } from '../people/grants.ts'
import type { Messages } from '../people/messages.ts'
import { payerAccounts } from '../people/payer-accounts.ts'
import type { MerchantSlice } from './merchants.ts'

type Parts = {
  readonly links: Links
  readonly messages: Messages
  readonly merchants: Pick<MerchantSlice, 'identify'>
  readonly granted: Granted
}

/**
 * Payers, their permissions and the applications they trust. Permissions expire in the background.
 */
export const peopleSlice = (
  core: Core,
  { isSandbox }: Pick<About, 'isSandbox'>,
  { links, messages, merchants: { identify }, granted }: Parts,
) => {
  const { handle, find, caughtUp, newId, ridOf, tokens, derive, used, findTerms } = core
  const { permissions, grants: rows, applications } = core.people
  const expire = expirePermissions({
    share: core.shares.merchants,
    rows: permissions,
    caughtUp,
    newId,
    outageOf: core.outagesOf('expiring permission request'),
  })
  const keyOfStrangers = derive('strangers')
  const strangers = core.streams
    ? strangersInStreams(core.streams, keyOfStrangers)
    : strangerLockouts(strangersIn(core.settings), keyOfStrangers)
  return {
    accounts: payerAccounts(core, { messages, used, strangers }),
    authorizations: authorizationsOf({ handle, find, tokens, rows, caughtUp }),
    answers: answerPermission({ handle, find, tokens, findTerms }),
    needs: {
      links,
      isSandbox,
      handle,
      find,
      caughtUp,
      securityLog: core.securityLog,
      reportHolding: core.reportHolding,
      findPermission: granted.views.findPermission,
      requestPermission: requestPermission({ handle, find, ridOf, identify }),
      applications,
      newClient: newClientBy(derive),
    },
    work: [
      {
        name: 'expire_permissions',
        due: expire,
        lease: 'merchants' as const,
        idle: async () => {
          messages.stop()
          used.close()
          strangers.close()
        },
      },
    ],
  }
}

export type PeopleSlice = ReturnType<typeof peopleSlice>
