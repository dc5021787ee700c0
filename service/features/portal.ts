import { claimSticker } from '../../application/claims.ts'
import { makeOffer } from '../../application/sell-offers.ts'
import { changeOwners, withdrawChange } from '../../application/change-owners.ts'
import { signUpMerchant } from '../../application/merchants.ts'
import type { StaffWork } from '../../application/staff.ts'
import { parseAmount } from '../../domain/money/money.ts'
import type { Links } from '../../http/addresses.ts'
import {
  accountReader,
  isOrganizationNumber,
  phonePartReader,
} from '../../infrastructure/national-numbers.ts'
import { makeFingerprints, readPublicKey } from '../../infrastructure/keys/keys.ts'
import { isNetmask } from '../../infrastructure/networks.ts'
import { sealedBlobs } from '../../infrastructure/people/sealing.ts'
import { hashSecret, makeSecretDigests } from '../../infrastructure/people/secrets.ts'
import {
  isSameText,
  newClientBy,
  newToken,
  sha256,
  shortlinkIdOf,
} from '../../infrastructure/people/id-tokens.ts'
import { twinLinks } from '../../infrastructure/people/twin-links.ts'
import { makePngCheck } from '../../infrastructure/pictures/png-client.ts'
import type { makeQrCodes } from '../../infrastructure/pictures/qr-codes.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { makeSpreadsheets } from '../../infrastructure/spreadsheets/spreadsheet-client.ts'
import { textCell } from '../../infrastructure/transaction-logs/transaction-log.ts'
import type { About } from '../about.ts'
import type { CallbackViews } from '../callbacks/callback-views.ts'
import type { Access } from '../callers.ts'
import type { Core } from '../core.ts'
import type { Granted } from '../people/grants.ts'
import type { Messages } from '../people/messages.ts'
import { pageSeals, type PayerAccounts } from '../people/payer-accounts.ts'
import { staffIn } from '../people/staff.ts'
import type { Live, MerchantChanges } from '../portal/live.ts'
import { answersOf, figuresOf, newestRefusals, requestsOf } from '../portal/merchant-figures.ts'
import { noticeWork } from '../portal/notices.ts'
import { holderOfOrganization, shopsOf, staffVisits } from '../portal/shops.ts'
import { logSoFar } from '../reports-and-settlements.ts'
import type { AccountingSlice } from './accounting.ts'
import type { CallbackSlice } from './callbacks.ts'
import type { PaymentSlice } from './payments.ts'
import type { Simulator } from './sandbox.ts'
import type { TransparencySlice } from './transparency.ts'

/** For currencies that the setting does not name. */
const usualLimit = '1000'

/** The amount above which a refund in the portal requires a one-time code. */
const refundCodeAbove =
  ({ REFUND_STEP_UP_AMOUNT }: Pick<Settings, 'REFUND_STEP_UP_AMOUNT'>) =>
  (currency: string): number =>
    REFUND_STEP_UP_AMOUNT?.[currency] ?? parseAmount(usualLimit, currency)

const signingUp = ({ handle, find, settings, merchants }: Core, staff: StaffWork) => {
  const { enlist, findStaff, placesOf, memberIdOf } = staff
  return signUpMerchant({
    handle,
    find,
    enlist,
    findStaff,
    placesOf,
    memberIdOf,
    needsNoApproval: settings.MODE === 'sandbox',
    holderOfOrganization: holderOfOrganization({ merchants }),
  })
}

type Parts = Pick<PayerAccounts, 'confirmPayer' | 'findSession' | 'devicesOf' | 'signOut'> &
  Pick<PayerAccounts, 'changeProfile'> &
  Pick<Access, 'verifySecret'> &
  Pick<CallbackSlice, 'findCallbackSecrets' | 'destinations'> & {
    readonly links: Links
    readonly qrImage: ReturnType<typeof makeQrCodes>
    readonly watch: Live['watch']
    readonly granted: Granted
    readonly changes: MerchantChanges
    readonly views: CallbackViews
    readonly wordCallback: CallbackSlice['needs']['wordCallback']
    readonly readLog: AccountingSlice['readLog']
    readonly receipts: TransparencySlice['needs']['receipts']
    readonly sendMessage: Messages['send']
    readonly mailProofs: Pick<PayerAccounts['mailProofs'], 'ask' | 'check' | 'use'>
    readonly takePayment: PaymentSlice['takePayment']
    readonly simulator: Simulator | undefined
  }

/**
 * The pages and actions of merchants' staff.
 * Long because it is the list of what they need.
 */
export const portalSlice = (core: Core, about: About, parts: Parts) => {
  const { handle, find, vault, payerDirectory, payments, accounting, merchants: rows } = core
  const staff = staffIn(core)
  const figures = figuresOf(core)
  const { views, changes, granted } = parts
  return {
    names: about.names,
    isSecure: about.isSecure,
    readPhone: about.readPhone,
    isSandbox: about.isSandbox,
    twinUrl: about.twinUrl,
    footer: about.footer,
    readAsset: about.readAsset,
    links: parts.links,
    handle,
    find,
    revisionOf: core.revisionOf,
    store: core.store,
    now: core.now,
    newId: core.newId,
    caughtUp: core.caughtUp,
    securityLog: core.securityLog,
    derive: core.derive,
    qrImage: parts.qrImage,
    // Who visits, and what they watch.
    findSession: parts.findSession,
    sealPage: pageSeals(vault).seal,
    devicesOf: parts.devicesOf,
    confirmPayer: parts.confirmPayer,
    signOut: parts.signOut,
    findProfile: granted.findProfile,
    changeProfile: parts.changeProfile,
    mailProofs: parts.mailProofs,
    canMail: about.isSandbox || core.settings.MAIL_URL !== undefined,
    issuer: granted.issuer,
    noteVisit: staffVisits(core),
    watch: parts.watch,
    newestOf: changes.newestOf,
    watchMerchant: changes.watchMerchant,
    isSameText,
    newToken,
    digestOf: sha256,
    // Merchants and their staff.
    findShop: shopsOf(core).findShop,
    findStaff: staff.findStaff,
    placesOf: staff.placesOf,
    ownedLately: staff.ownedLately,
    inviteStaff: staff.inviteStaff,
    acceptInvitation: staff.acceptInvitation,
    invitedNumber: staff.invitedNumber,
    nameOf: staff.nameOf,
    sendMessage: parts.sendMessage,
    signUpMerchant: signingUp(core, staff),
    ownerChanges: rows.ownerChanges,
    accountChanges: accounting.accountChanges,
    withdrawChange: withdrawChange({ handle, find }),
    // Overview and messages.
    turnoverBetween: figures.turnoverBetween,
    dayStarts: figures.dayStarts,
    expiring: figures.expiring,
    failingCallbacks: figures.failingCallbacks,
    newsAfter: figures.newsAfter,
    findNotices: figures.findNotices,
    securityOf: figures.securityOf,
    posOf: figures.posOf,
    moneyOf: figures.moneyOf,
    owedOf: figures.owedOf,
    moneyLines: figures.moneyLines,
    canOrderPayouts: figures.canOrderPayouts,
    // Payments.
    lists: payments.lists,
    tidOf: core.tidOf,
    countedBy: payments.countedAmounts.by,
    keyOfCustomer: payerDirectory.keyNamed,
    keysNumbered: payerDirectory.keysNumbered,
    phonesWith: phonePartReader(core.settings.COUNTRY),
    paymentTexts: payments.texts,
    showCustomer: payerDirectory.show,
    scanToken: core.tokens.scanToken,
    findScan: core.findScan,
    attachments: payments.attachments,
    attachedContents: sealedBlobs(core.blobs, vault),
    problemOfPng: makePngCheck().problemOf,
    hasPerson: vault.hasPerson,
    findTerms: core.findTerms,
    ledgerOfLine: accounting.transactionLines.ledgerAt,
    reportHolding: core.reportHolding,
    settlementTaking: core.audit.rows.settlementTaking,
    refundCodeAbove: refundCodeAbove(core.settings),
    receipts: parts.receipts,
    takePayment: parts.takePayment,
    offers: rows.offers,
    makeOffer: makeOffer({ handle, find }),
    offerIdFor: (...made: readonly string[]): string =>
      shortlinkIdOf(core.derive('offer', ...made)),
    // Money.
    ledgers: accounting.ledgers,
    reports: accounting.reports,
    settlements: accounting.settlements,
    settledTurnover: accounting.settledTurnover,
    corrections: accounting.corrections,
    invoices: accounting.invoices,
    settlementAccounts: accounting.settlementAccounts,
    payouts: accounting.payouts,
    readLog: parts.readLog,
    readOpenLog: logSoFar(core),
    readAccount: accountReader(core.settings.COUNTRY),
    isOrganizationNumber: isOrganizationNumber(core.settings.COUNTRY),
    makeSpreadsheet: makeSpreadsheets(),
    textCell,
    // Points of sale.
    pointsOfSale: rows.pointsOfSale,
    shortlinks: rows.shortlinks,
    scans: rows.scans,
    scanCounts: rows.scanCounts,
    claimSticker: claimSticker({ handle, find }),
    shortlinkIdFor: (merchant: string, made: string): string =>
      shortlinkIdOf(core.derive('shortlink', merchant, made)),
    // Developers.
    users: rows.users,
    applications: core.people.applications,
    newClient: newClientBy(core.derive),
    hashSecret,
    verifySecret: parts.verifySecret,
    digestSecret: makeSecretDigests(core.derive).digestSecret,
    readPublicKey,
    fingerprintOf: makeFingerprints(),
    isNetmask,
    refusalsOf: newestRefusals(core),
    requestsOf: requestsOf(core),
    answersOf: answersOf(core),
    findCallbackSecrets: parts.findCallbackSecrets,
    eventDestinations: core.callbacks.eventDestinations,
    newDestinationKey: parts.destinations.newDestinationKey,
    limitDestinations: parts.destinations.limitDestinations,
    replayEvents: parts.destinations.replayEvents,
    wordCallback: parts.wordCallback,
    callbackMessages: views.callbackMessages,
    findQueue: views.findQueue,
    attemptsOf: views.attemptsOf,
    retryCallback: views.retryCallback,
    retryCallbacks: views.retryCallbacks,
    sendTestCallback: views.sendTestCallback,
    simulator: parts.simulator,
    twinLink: twinLinks(core.settings, core.publicUrl)?.sign,
  }
}

/** Makes the changes of owners that were requested a day before. */
const changingOwners = (core: Core) =>
  changeOwners({
    handle: core.handle,
    find: core.find,
    rows: core.merchants.ownerChanges,
    caughtUp: core.caughtUp,
    outageOf: core.outagesOf('changing an owner of'),
  })

export const portalWork = (core: Core) => [
  { name: 'raise_notices', due: noticeWork(core, staffIn(core)), sendsMessages: true },
  { name: 'change_owners', due: changingOwners(core), lease: 'merchants' as const },
]
