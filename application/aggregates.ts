import { application } from '../domain/application.ts'
import { authorization } from '../domain/authorization.ts'
import { callback } from '../domain/callback.ts'
import { clock } from '../domain/clock.ts'
import { grant } from '../domain/grant.ts'
import { installation } from '../domain/installation.ts'
import { merchant } from '../domain/merchant.ts'
import { payer } from '../domain/payer.ts'
import { payment } from '../domain/payment.ts'
import { permission } from '../domain/permission.ts'
import { pos } from '../domain/pos.ts'
import { signingKey } from '../domain/signing-key.ts'
import { user } from '../domain/user.ts'

/** Each kind of aggregate under the category of its streams. */
export const payments = { category: 'payment', decider: payment }
export const callbacks = { category: 'callback', decider: callback }
export const installations = { category: 'installation', decider: installation }
export const clocks = { category: 'clock', decider: clock }
export const merchants = { category: 'merchant', decider: merchant.decider }
export const users = { category: 'user', decider: user.decider }
export const poses = { category: 'pos', decider: pos.decider }
export const payers = { category: 'payer', decider: payer }
export const applications = { category: 'application', decider: application.decider }
export const permissionRequests = { category: 'permission', decider: permission }
export const authorizations = { category: 'authorization', decider: authorization }
export const grants = { category: 'grant', decider: grant }
export const signingKeys = { category: 'signing_key', decider: signingKey.decider }

/** The id of something that is unique within a merchant. No two pairs share one; it is ASCII whatever the ids are. */
export const within = (merchant: string, id: string): string =>
  `${encodeURIComponent(merchant)}/${encodeURIComponent(id)}`
