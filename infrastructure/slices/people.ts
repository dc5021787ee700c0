import { randomUUID } from 'node:crypto'
import { applications, merchants } from '../../domain/aggregates.ts'
import { redeemCode } from '../../application/authorize.ts'
import { expirePermissions } from '../../application/expire-requests.ts'
import {
  findGrantOf,
  findLiveRefreshToken,
  findLiveToken,
  refreshGrant,
} from '../../application/grants.ts'
import { merchantViews } from '../../application/merchant-views.ts'
import { payerViews } from '../../application/payer-views.ts'
import { findProfile } from '../../application/people.ts'
import { answerPermission, requestPermission } from '../../application/permissions.ts'
import { showTokens } from '../../application/show-tokens.ts'
import { revokeGrant, withdrawConsent } from '../../application/withdraw-grants.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Core } from '../core.ts'
import type { Log } from '../log.ts'
import { addIdTokenKey, makeIdTokens } from '../people/id-tokens.ts'
import type { Messages } from '../people/messages.ts'
import { payerAccounts } from '../people/payer-accounts.ts'
import { makeProofCheck } from '../people/proofs.ts'
import { isSameText, newClient, newToken, sha256 } from '../people/tokens.ts'
import type { Settings } from '../settings.ts'
import { shopsOf } from '../shops.ts'
import type { MerchantSlice } from './merchants.ts'
import type { PaymentSlice } from './payments.ts'

/** ID tokens, and what payers have granted, as the authorization server and outcomes show it. */
export const openGranted = async (core: Core, issuer: () => string) => {
  const { find, machineTime } = core
  const { vault, tokens, derive, payers } = core.people
  if (vault.secrets('id_token_key:').length === 0) await addIdTokenKey(vault, () => 0)
  const { sign: signIdToken, published, subjectOf } = makeIdTokens(vault, issuer, machineTime)
  const shown = {
    findProfile: findProfile({ find, people: vault }),
    subjectOf: (payer: string, merchant: string) => derive('subject', payer, merchant),
  }
  const show = showTokens({ tokens, ...shown, signIdToken })
  return {
    views: merchantViews({ find, showCustomer: payers.show, showTokens: show }),
    needs: {
      ...shown,
      showTokens: show,
      issuer,
      publishedKeys: published,
      subjectOfIdToken: subjectOf,
    },
  }
}
export type Granted = Awaited<ReturnType<typeof openGranted>>

const grantNeedsOf = ({ handle, find, people: { tokens, grants: rows }, readModels }: Core) => ({
  handle,
  find,
  tokens,
  rows,
  caughtUp: readModels.caughtUp,
})

/** What the authorization server does with grants. */
const authorizations = (core: Core) => {
  const needs = grantNeedsOf(core)
  return {
    newClient,
    challengeOf: sha256,
    checkProof: makeProofCheck(Date.now),
    isSecretOf: (secret: string, hash: string) => isSameText(sha256(secret), hash),
    redeemCode: redeemCode(needs),
    refreshGrant: refreshGrant(needs),
    revokeGrant: revokeGrant(needs),
    findLiveToken: findLiveToken(needs),
    findLiveRefreshToken: findLiveRefreshToken(needs),
    findGrantOf: findGrantOf(needs),
    withdrawConsent: withdrawConsent(needs),
  }
}

type PeopleParts = {
  readonly settings: Settings
  readonly messages: Messages
  readonly log: Log
}

/** Payers, their permissions and the applications that they trust. Permissions expire beside. */
export const peopleSlice = (
  core: Core,
  { settings, messages, log }: PeopleParts,
  { identify, scanShortlink }: MerchantSlice,
  payments: PaymentSlice,
  granted: Granted,
) => {
  const { handle, find } = core
  const isSandbox = settings.MODE === 'sandbox'
  const { ridOf, tokens, permissions, grants: rows, ...people } = core.people
  const answers = answerPermission({ handle, find, tokens, findTerms: core.accounting.findTerms })
  const findApplication = (client: string) => {
    const row = people.applications.find(streamOf(applications, client))
    const shop = row && core.merchants.merchants.find(streamOf(merchants, row.data.merchant))
    return row && { ...row.data, isDisabled: row.isDisabled || (shop?.isDisabled ?? false) }
  }
  const expire = expirePermissions({
    handle,
    rows: permissions,
    caughtUp: core.readModels.caughtUp,
    newId: randomUUID,
    outageOf: core.outagesOf('expiring permission request'),
  })
  return {
    answers,
    needs: {
      ...people,
      ...granted.needs,
      ...payerAccounts(core, { messages, isSandbox, log }),
      ...payerViews({ find, shopOf: shopsOf(core).shopOf }),
      ...authorizations(core),
      ...answers,
      scanShortlink,
      acceptPayment: payments.acceptPayment,
      attachments: payments.needs.attachments,
      attachedContents: payments.needs.attachedContents,
      newToken,
      isSameText,
      digestOf: sha256,
      logos: core.merchants.blobs,
      machineTime: core.machineTime,
      findPermission: granted.views.findPermission,
      requestPermission: requestPermission({ handle, find, ridOf, identify }),
      findApplication,
      applicationName: (client: string) => findApplication(client)?.name,
      answersOf: rows.answers,
      isWithdrawn: (grant: string) => rows.find(grant)?.isWithdrawn ?? false,
      consentsOf: rows.consents,
      findConsent: rows.consent,
    },
    sentTo: messages.sentTo,
    work: [{ due: expire, idle: async () => messages.stop() }],
  }
}
