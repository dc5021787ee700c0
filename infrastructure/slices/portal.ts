import { signUpMerchant } from '../../application/sign-up-merchant.ts'
import type { Core } from '../core.ts'
import { merchantChanges } from '../merchant-changes.ts'
import { figuresOf } from '../merchant-figures.ts'
import { noticeWork } from '../notices.ts'
import { readAccount } from '../payout-account.ts'
import type { Messages } from '../people/messages.ts'
import { staffIn } from '../people/staff.ts'
import { shopsOf } from '../shops.ts'
import { makeSpreadsheets } from '../spreadsheets/spreadsheet-client.ts'
import { staffVisits } from '../visits.ts'
import type { CallbackSlice } from './callbacks.ts'
import type { PaymentSlice } from './payments.ts'
import { portalDevelopers } from './portal-developers.ts'
import { portalPayments } from './portal-payments.ts'
import { portalPoints } from './portal-points.ts'
import type { TransparencySlice } from './transparency.ts'

type Others = {
  readonly payments: PaymentSlice
  readonly callbacks: CallbackSlice
  readonly transparency: TransparencySlice
}

/** What the staff of merchants see and do. Beside it, what needs somebody is raised. */
export const portalSlice = (core: Core, messages: Messages, others: Others) => {
  const { merchants: rows, handle, settings } = core
  const staff = staffIn(core)
  const { end, ...changes } = merchantChanges(core)
  const needs = {
    ...staff,
    ...changes,
    ...portalPayments(core, others.payments, others.transparency),
    ...portalPoints(core),
    ...portalDevelopers(core, others.callbacks),
    ...figuresOf(core),
    findShop: shopsOf(core).findShop,
    readAccount,
    makeSpreadsheet: makeSpreadsheets(),
    noteVisit: staffVisits(core),
    signUpMerchant: signUpMerchant({
      ...{ ...staff, handle },
      needsNoApproval: settings.MODE === 'sandbox',
      holderOfOrganization: (id) => rows.lookUpMerchant(id)?.data.id,
    }),
  }
  return { needs, end, work: [{ due: noticeWork(core, staff, messages), isTelling: true }] }
}
