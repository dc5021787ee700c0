import { accountChange, settlementAccount } from './accounting/settlement-account.ts'
import { bankEntry, bankEntryEvents, bankCalendar } from './accounting/bank-entry.ts'
import { correction, correctionEvents } from './accounting/correction.ts'
import {
  differenceEvents,
  fundingDifference,
  fundingReceipt,
  receiptEvents,
} from './accounting/funding-receipt.ts'
import { fees, feeEvents } from './accounting/fees.ts'
import { ledger, ledgerEvents } from './accounting/ledger.ts'
import { series, seriesEvents, settlement } from './accounting/settlement.ts'
import { settlementEvents, settlementUpcasts } from './accounting/settlement-events.ts'
import { taxcodeEvents, taxcodes } from './accounting/taxcodes.ts'
import { callback, callbackEvents } from './callback.ts'
import { callbackDestination, destinationEvents } from './callback-destination.ts'
import { clock, clockEvents } from './clock.ts'
import { installation, installationEvents, installationUpcasts } from './installation.ts'
import { attachmentEvents, attachments } from './merchant/attachment.ts'
import { callbackSecret, callbackSecretEvents } from './merchant/callback-secret.ts'
import { channel } from './merchant/channel.ts'
import { eventDestination, eventFeed, eventFeedEvents } from './merchant/event-destination.ts'
import { integrator, signingKey, requestLimit, shortlink } from './merchant/registers.ts'
import { merchant } from './merchant/merchant.ts'
import { offerEvents, offers as offerDecider } from './merchant/offer.ts'
import { noticeEvents, notices } from './merchant/notice.ts'
import { organization } from './merchant/organization.ts'
import { ownerChange, staff } from './merchant/staff.ts'
import { ownerMessage, ownerMessageEvents } from './merchant/owner-message.ts'
import { pos } from './merchant/pos.ts'
import { scanEvents, scans } from './merchant/scans.ts'
import { sticker, stickerEvents } from './merchant/sticker.ts'
import { user } from './merchant/user.ts'
import { ordered } from './ordered.ts'
import { funding, fundingEvents } from './payment/funding.ts'
import { paymentEvents, paymentUpcasts } from './payment/payment-events.ts'
import { payment } from './payment/payment.ts'
import { application } from './people/application.ts'
import { auditor } from './people/auditor.ts'
import { authorization, authorizationEvents } from './people/authorization.ts'
import { grant, grantEvents } from './people/grant.ts'
import { payerEvents } from './people/payer-state.ts'
import { payer } from './people/payer.ts'
import { operatorRegister } from './people/operator-roles.ts'
import { permission, permissionEvents } from './people/permission.ts'
import { checkpointKey, checkpoint, checkpointEvents } from './transparency/checkpoints.ts'

/*
 * Every aggregate: its stream category, decider, events and upcasts. The event catalogue, the check
 * when events are read and schema versions follow from these exports.
 */

export const installations = {
  category: 'installation',
  decider: installation,
  events: installationEvents,
  upcasts: installationUpcasts,
}

export const clocks = { category: 'clock', decider: clock, events: clockEvents }

export const merchants = { category: 'merchant', ...merchant }

export const users = { category: 'user', ...ordered(user) }

/** Keyed by merchant. */
export const staffs = { category: 'staff', ...staff }

/** Keyed by organisation number. */
export const organizations = { category: 'organization', ...organization }

/** Keyed by merchant. */
export const ownerChanges = { category: 'owner_change', ...ownerChange }

/** Keyed by the stream and revision of the event that a message is about. */
export const ownerMessages = {
  category: 'owner_message',
  decider: ownerMessage,
  events: ownerMessageEvents,
}

/** Keyed by merchant. */
export const noticesOfMerchants = {
  category: 'notice',
  decider: notices,
  events: noticeEvents,
}

export const pointsOfSale = { category: 'pos', ...pos }

export const shortlinks = { category: 'shortlink', ...shortlink }

export const stickers = { category: 'sticker', decider: sticker, events: stickerEvents }

/** Keyed by shortlink id. */
export const scansOfShortlinks = { category: 'scans', decider: scans, events: scanEvents }

/** Keyed by the id of the link. */
export const offers = { category: 'offer', decider: offerDecider, events: offerEvents }

export const integrators = { category: 'integrator', ...ordered(integrator) }

export const requestLimits = { category: 'request_limit', ...requestLimit }

export const signingKeys = { category: 'signing_key', ...signingKey }

/** Keyed by name. */
export const channels = { category: 'channel', ...channel }

/** Keyed by merchant. */
export const callbackSecrets = {
  category: 'callback_secret',
  ...ordered({ decider: callbackSecret, events: callbackSecretEvents }),
}

export const payments = {
  category: 'payment',
  decider: payment,
  events: paymentEvents,
  upcasts: paymentUpcasts,
}

/** Keyed by tid. */
export const attachmentsOfPayments = {
  category: 'attachments',
  decider: attachments,
  events: attachmentEvents,
}

/** How far the funding source has been notified. */
export const fundings = { category: 'funding', decider: funding, events: fundingEvents }

export const callbacks = { category: 'callback', decider: callback, events: callbackEvents }

/** Keyed by merchant and destination. */
export const callbackDestinations = {
  category: 'destination',
  decider: callbackDestination,
  events: destinationEvents,
}

export const eventDestinations = { category: 'event_destination', ...eventDestination }

/** Keyed by a destination's key. */
export const eventFeeds = { category: 'event_feed', decider: eventFeed, events: eventFeedEvents }

export const feeSchedules = { category: 'fees', decider: fees, events: feeEvents }

/** One stream, keyed `operator`. */
export const taxcodesOfOperator = {
  category: 'taxcodes',
  decider: taxcodes,
  events: taxcodeEvents,
}

export const ledgers = { category: 'ledger', decider: ledger, events: ledgerEvents }

export const corrections = { category: 'correction', decider: correction, events: correctionEvents }

export const settlementAccounts = { category: 'settlement_account', ...ordered(settlementAccount) }

/** Keyed by merchant. */
export const accountChanges = { category: 'account_change', ...accountChange }

/** Keyed by country. */
export const bankCalendars = { category: 'bank_calendar', ...bankCalendar }

/** Keyed by a digest of what identifies the entry. */
export const bankEntries = {
  category: 'bank_entry',
  decider: bankEntry,
  events: bankEntryEvents,
}

/** Keyed by a digest of what identifies the movement. */
export const fundingReceipts = {
  category: 'funding_receipt',
  decider: fundingReceipt,
  events: receiptEvents,
}

/** Keyed by `<day>-<currency>`, or as the receipt. */
export const fundingDifferences = {
  category: 'funding_difference',
  decider: fundingDifference,
  events: differenceEvents,
}

export const settlementSeries = { category: 'series', decider: series, events: seriesEvents }

export const settlements = {
  category: 'settlement',
  decider: settlement,
  events: settlementEvents,
  upcasts: settlementUpcasts,
}

export const auditors = { category: 'auditor', ...auditor }

/** One stream, keyed `daybook`. */
export const operators = { category: 'operator', ...operatorRegister }

export const payers = { category: 'payer', decider: payer, events: payerEvents }

export const applications = { category: 'application', ...ordered(application) }

export const permissionRequests = {
  category: 'permission',
  decider: permission,
  events: permissionEvents,
}

export const authorizations = {
  category: 'authorization',
  decider: authorization,
  events: authorizationEvents,
}

export const grants = { category: 'grant', decider: grant, events: grantEvents }

/** Keyed by day. */
export const checkpoints = {
  category: 'checkpoint',
  decider: checkpoint,
  events: checkpointEvents,
}

export const checkpointKeys = { category: 'checkpoint_key', ...checkpointKey }
