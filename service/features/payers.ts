import { shortlinks } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'
import { payerViews } from '../../application/payer-views.ts'
import type { Authenticate } from '../../http/access.ts'
import type { Links } from '../../http/addresses.ts'
import { makeProofCheck } from '../../infrastructure/people/one-time-codes.ts'
import { isSameText, newToken, sha256 } from '../../infrastructure/people/id-tokens.ts'
import type { makeQrCodes } from '../../infrastructure/pictures/qr-codes.ts'
import type { About } from '../about.ts'
import type { Access } from '../callers.ts'
import type { Core } from '../core.ts'
import type { Granted } from '../people/grants.ts'
import type { Live } from '../portal/live.ts'
import { shopsOf } from '../portal/shops.ts'
import type { MerchantSlice } from './merchants.ts'
import type { PaymentSlice } from './payments.ts'
import type { PeopleSlice } from './people.ts'
import { twinArrivals } from '../sandbox/sandbox-data.ts'
import { wallClock } from '../../application/machine.ts'

type Parts = Pick<Access, 'guardGuesses'> & {
  readonly links: Links
  readonly authenticate: Authenticate
  readonly qrImage: ReturnType<typeof makeQrCodes>
  readonly watch: Live['watch']
  readonly granted: Granted
  readonly people: PeopleSlice
  readonly payments: PaymentSlice
  readonly merchants: Pick<MerchantSlice, 'scanShortlink'>
}

/**
 * The checkout and the payers' pages, and OAuth 2.0 for applications.
 * Long because it is the list of what they need.
 */
export const payerSlice = (core: Core, about: About, parts: Parts) => {
  const { find, used, tokens } = core
  const { grants: rows } = core.people
  const { granted, payments } = parts
  const { accounts, authorizations, answers } = parts.people
  const { shopOf, shopName, findApplication } = shopsOf(core)
  const { findRequest, findPayerPermission } = payerViews({ find, shopOf })
  return {
    names: about.names,
    isSecure: about.isSecure,
    readPhone: about.readPhone,
    footer: about.footer,
    readAsset: about.readAsset,
    links: parts.links,
    qrImage: parts.qrImage,
    watch: parts.watch,
    authenticate: parts.authenticate,
    guardGuesses: parts.guardGuesses,
    handle: core.handle,
    find,
    now: core.now,
    machineTime: core.machineTime,
    caughtUp: core.caughtUp,
    securityLog: core.securityLog,
    derive: core.derive,
    inbox: core.people.inbox,
    logos: core.blobs,
    // Shops, and what they request.
    shopName,
    findApplication,
    applicationName: (client: string) => findApplication(client)?.name,
    scanShortlink: parts.merchants.scanShortlink,
    placeOfShortlink: (id: string) => {
      const data = core.merchants.shortlinks.find(streamOf(shortlinks, id))?.data
      return data && { shop: shopName(data.merchant), description: data.description }
    },
    openOffer: payments.openOffer,
    takeOffer: payments.takeOffer,
    findRequest,
    findPayerPermission,
    acceptPayment: payments.acceptPayment,
    attachments: payments.needs.attachments,
    attachedContents: payments.needs.attachedContents,
    grantPermission: answers.grantPermission,
    declinePermission: answers.declinePermission,
    // Accounts and sessions.
    registerPayer: accounts.registerPayer,
    hasAccount: accounts.hasAccount,
    changeProfile: accounts.changeProfile,
    changeCredentials: accounts.changeCredentials,
    confirmPayer: accounts.confirmPayer,
    proveNumber: accounts.proveNumber,
    proofs: accounts.proofs,
    recovery: accounts.recovery,
    closeAccount: accounts.closeAccount,
    signIn: accounts.signIn,
    signOut: accounts.signOut,
    signOutEverywhere: accounts.signOutEverywhere,
    findSession: accounts.findSession,
    devicesOf: accounts.devicesOf,
    seal: accounts.seal,
    sealPage: accounts.seal,
    unseal: accounts.unseal,
    hashPin: accounts.hashPin,
    newCodeSecret: accounts.newCodeSecret,
    newRecoveryCodes: accounts.newRecoveryCodes,
    codeUri: accounts.codeUri,
    stepOfCode: accounts.stepOfCode,
    stepUpAbove: accounts.stepUpAbove,
    throttle: accounts.throttle,
    compareTries: accounts.compareTries,
    passThrottle: accounts.passThrottle,
    acceptsInOrder: accounts.acceptsInOrder,
    isFirstAcceptance: accounts.isFirstAcceptance,
    acceptanceHasEnded: accounts.acceptanceHasEnded,
    countedBy: accounts.countedBy,
    newestCounted: accounts.newestCounted,
    twin: twinArrivals(core, accounts.hashPin),
    // Applications, their tokens and grants.
    issuer: granted.issuer,
    publishedKeys: granted.publishedKeys,
    showTokens: granted.showTokens,
    findProfile: granted.findProfile,
    subjectOf: granted.subjectOf,
    subjectOfIdToken: granted.subjectOfIdToken,
    codeOf: tokens.codeOf,
    redeemCode: authorizations.redeemCode,
    refreshGrant: authorizations.refreshGrant,
    revokeGrant: authorizations.revokeGrant,
    findLiveToken: authorizations.findLiveToken,
    findLiveRefreshToken: authorizations.findLiveRefreshToken,
    findGrantOf: authorizations.findGrantOf,
    withdrawConsent: authorizations.withdrawConsent,
    answersOf: rows.answers,
    consentsOf: rows.consents,
    findConsent: rows.consent,
    isWithdrawn: (grant: string) => rows.find(grant)?.isWithdrawn ?? false,
    checkProof: makeProofCheck(wallClock, used),
    isSecretOf: (secret: string, hash: string) => isSameText(sha256(secret), hash),
    isSameText,
    newToken,
    digestOf: sha256,
    challengeOf: sha256,
  }
}
