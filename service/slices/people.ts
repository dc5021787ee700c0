import { authorizationsOf } from '../../application/authorize.ts'
import { expirePermissions } from '../../application/expire-requests.ts'
import { payerViews } from '../../application/payer-views.ts'
import { answerPermission, requestPermission } from '../../application/permissions.ts'
import type { Core } from '../core.ts'
import type { Granted } from '../people/granted.ts'
import type { Messages } from '../people/messages.ts'
import { payerAccounts } from '../people/payer-accounts.ts'
import { makeProofCheck } from '../../infrastructure/people/proofs.ts'
import { strangerLockouts } from '../../infrastructure/people/stranger-lockouts.ts'
import { strangersInStreams } from '../../infrastructure/vault-streams/stranger-lockouts.ts'
import { isSameText, newClientBy, newToken, sha256 } from '../../infrastructure/people/tokens.ts'
import { shopsOf } from '../portal/shops.ts'
import { strangersIn } from '../../infrastructure/stores.ts'
import type { MerchantSlice } from './merchants.ts'
import type { PaymentSlice } from './payments.ts'

/**
 * Payers, their permissions and the applications they trust. Permissions expire in the background.
 */
export const peopleSlice = (
  core: Core,
  messages: Messages,
  { identify, scanShortlink }: MerchantSlice,
  payments: PaymentSlice,
  granted: Granted,
  settleOwnerMessages: () => Promise<void>,
) => {
  const { ridOf, tokens, permissions, grants: rows, used, ...people } = core.people
  const { shopOf, findApplication } = shopsOf(core)
  const answers = answerPermission({ ...core, ...core.accounting, tokens })
  const outageOf = core.outagesOf('expiring permission request')
  const { attachments, attachedContents } = payments.needs
  const share = core.shares.merchants
  const keyOfStrangers = people.derive('strangers')
  const lockouts = core.streams
    ? strangersInStreams(core.streams, keyOfStrangers)
    : strangerLockouts(strangersIn(core.settings), keyOfStrangers)
  return {
    needs: {
      ...people,
      ...granted.needs,
      ...payerAccounts(core, { messages, used, strangers: lockouts }),
      ...payerViews({ ...core, shopOf }),
      ...authorizationsOf({ ...core, tokens, rows }),
      ...answers,
      ...{ scanShortlink, findApplication, newToken, isSameText },
      newClient: newClientBy(core.people.derive),
      ...{ digestOf: sha256, challengeOf: sha256 },
      checkProof: makeProofCheck(Date.now, used),
      isSecretOf: (secret: string, hash: string) => isSameText(sha256(secret), hash),
      ...{ attachments, attachedContents, acceptPayment: payments.acceptPayment },
      sendMessage: messages.send,
      sentTo: async (to: string | undefined) => {
        await settleOwnerMessages()
        await messages.settled()
        return messages.sentTo(to)
      },
      logos: core.merchants.blobs,
      machineTime: core.machineTime,
      findPermission: granted.views.findPermission,
      requestPermission: requestPermission({ ...core, ridOf, identify }),
      applicationName: (client: string) => findApplication(client)?.name,
      ...{ answersOf: rows.answers, consentsOf: rows.consents, findConsent: rows.consent },
      isWithdrawn: (grant: string) => rows.find(grant)?.isWithdrawn ?? false,
    },
    work: [
      {
        due: expirePermissions({ ...core, share, rows: permissions, outageOf }),
        lease: 'merchants' as const,
        idle: async () => {
          messages.stop()
          used.close()
          lockouts.close()
        },
      },
    ],
  }
}
