import { application } from '../domain/application.ts'
import { attachments } from '../domain/attachment.ts'
import { authorization } from '../domain/authorization.ts'
import { callback } from '../domain/callback.ts'
import { clock } from '../domain/clock.ts'
import { fees } from '../domain/fees.ts'
import { grant } from '../domain/grant.ts'
import { installation } from '../domain/installation.ts'
import { integrator } from '../domain/integrator.ts'
import { ledger } from '../domain/ledger.ts'
import { merchant } from '../domain/merchant.ts'
import { payer } from '../domain/payer.ts'
import { payment } from '../domain/payment.ts'
import { permission } from '../domain/permission.ts'
import { pos } from '../domain/pos.ts'
import { scans } from '../domain/scans.ts'
import { settlementAccount } from '../domain/settlement-account.ts'
import { settlement } from '../domain/settlement.ts'
import { shortlink } from '../domain/shortlink.ts'
import { signingKey } from '../domain/signing-key.ts'
import { sticker } from '../domain/sticker.ts'
import { user } from '../domain/user.ts'

/** Each kind of aggregate under the category of its streams. */
export const payments = { category: 'payment', decider: payment }
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
