import { authorizationsOf } from '../../application/authorize.ts'
import { notifyOwners, type OwnerWordsIn } from '../../application/change-accounts.ts'
import { tellOfFactors } from '../../application/change-owners.ts'
import { expirePermissions } from '../../application/expire-requests.ts'
import { payerViews } from '../../application/payer-views.ts'
import { answerPermission, requestPermission } from '../../application/permissions.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import type { Granted } from '../people/granted.ts'
import type { Messages } from '../people/messages.ts'
import { payerAccounts } from '../people/payer-accounts.ts'
import { makeProofCheck } from '../../infrastructure/people/proofs.ts'
import { strangerLockouts } from '../../infrastructure/people/stranger-lockouts.ts'
import { isSameText, newClientBy, newToken, sha256 } from '../../infrastructure/people/tokens.ts'
import { staffIn } from '../people/staff.ts'
import { shopsOf } from '../portal/shops.ts'
import { strangersIn } from '../../infrastructure/stores.ts'
import type { MerchantSlice } from './merchants.ts'
import type { PaymentSlice } from './payments.ts'

/** Messages to owners about a colleague. The change is made: a failure to tell does not undo it. */
const tellingOwners = (core: Core, messages: Messages, wordsIn: OwnerWordsIn) => {
  const staff = staffIn(core)
  const notify = notifyOwners({ ...staff, sendMessage: messages.send })
  const { shopName, countryOf } = shopsOf(core)
  const tell = tellOfFactors({
    ...staff,
    tell: (merchant, name, at) =>
      notify(merchant, wordsIn(countryOf(merchant)).factorsChanged(shopName(merchant), name), at),
  })
  return (payer: string, at: Instant): Promise<void> =>
    tell(payer, at).catch((error: unknown) =>
      core.log.error({ error }, 'owners were not told of the new number, PIN or authenticator'),
    )
}

/**
 * Payers, their permissions and the applications they trust. Permissions expire in the background.
 */
export const peopleSlice = (
  core: Core,
  messages: Messages,
  { identify, scanShortlink }: MerchantSlice,
  payments: PaymentSlice,
  granted: Granted,
  wordsIn: OwnerWordsIn,
) => {
  const { ridOf, tokens, permissions, grants: rows, used, ...people } = core.people
  const { shopOf, findApplication } = shopsOf(core)
  const answers = answerPermission({ ...core, ...core.accounting, tokens })
  const outageOf = core.outagesOf('expiring permission request')
  const { attachments, attachedContents } = payments.needs
  const share = core.shares.merchants
  const lockouts = strangerLockouts(strangersIn(core.settings), people.derive('strangers'))
  const onFactorsChanged = tellingOwners(core, messages, wordsIn)
  return {
    needs: {
      ...people,
      ...granted.needs,
      ...payerAccounts(core, { messages, used, strangers: lockouts, onFactorsChanged }),
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
