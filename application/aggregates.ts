import { fees } from '../domain/accounting/fees.ts'
import { ledger } from '../domain/accounting/ledger.ts'
import { series } from '../domain/accounting/series.ts'
import { settlementAccount } from '../domain/accounting/settlement-account.ts'
import { settlement } from '../domain/accounting/settlement.ts'
import { callback } from '../domain/callback.ts'
import { clock } from '../domain/clock.ts'
import { installation } from '../domain/installation.ts'
import { attachments } from '../domain/merchant/attachment.ts'
import { integrator } from '../domain/merchant/integrator.ts'
import { merchant } from '../domain/merchant/merchant.ts'
import { pos } from '../domain/merchant/pos.ts'
import { scans } from '../domain/merchant/scans.ts'
import { shortlink } from '../domain/merchant/shortlink.ts'
import { signingKey } from '../domain/merchant/signing-key.ts'
import { sticker } from '../domain/merchant/sticker.ts'
import { user } from '../domain/merchant/user.ts'
import { funding } from '../domain/payment/funding.ts'
import { payment } from '../domain/payment/payment.ts'
import { application } from '../domain/people/application.ts'
import { authorization } from '../domain/people/authorization.ts'
import { grant } from '../domain/people/grant.ts'
import { payer } from '../domain/people/payer.ts'
import { permission } from '../domain/people/permission.ts'

/** Each kind of aggregate under the category of its streams. */
export const payments = { category: 'payment', decider: payment }
/** How far the one funding source knows what becomes of money. */
export const fundings = { category: 'funding', decider: funding }
/** The attachments of each payment, under its tid. */
export const attachmentsOfPayments = { category: 'attachments', decider: attachments }
export const callbacks = { category: 'callback', decider: callback }
export const installations = { category: 'installation', decider: installation }
export const clocks = { category: 'clock', decider: clock }
export const merchants = { category: 'merchant', decider: merchant.decider }
export const users = { category: 'user', decider: user.decider }
export const poses = { category: 'pos', decider: pos.decider }
export const feeSchedules = { category: 'fees', decider: fees }
export const ledgers = { category: 'ledger', decider: ledger }
export const settlementAccounts = {
  category: 'settlement_account',
  decider: settlementAccount.decider,
}
/** What settlement ids begin with, each of one merchant. */
export const settlementSeries = { category: 'series', decider: series }
export const settlements = { category: 'settlement', decider: settlement }
export const payers = { category: 'payer', decider: payer }
export const applications = { category: 'application', decider: application.decider }
export const permissionRequests = { category: 'permission', decider: permission }
export const authorizations = { category: 'authorization', decider: authorization }
export const grants = { category: 'grant', decider: grant }
export const signingKeys = { category: 'signing_key', decider: signingKey.decider }
export const integrators = { category: 'integrator', decider: integrator.decider }
export const shortlinks = { category: 'shortlink', decider: shortlink.decider }
export const stickers = { category: 'sticker', decider: sticker }
/** The scans of each shortlink, under its id. */
export const scansOfShortlinks = { category: 'scans', decider: scans }
