import { changeOwners, withdrawChange } from '../../application/change-owners.ts'
import { claimSticker } from '../../application/claim-sticker.ts'
import { signUpMerchant } from '../../application/sign-up-merchant.ts'
import type { Core } from '../core.ts'
import { makeFingerprints } from '../../infrastructure/keys/key-fingerprints.ts'
import { readPublicKey } from '../../infrastructure/keys/keys.ts'
import { merchantChanges } from '../portal/merchant-changes.ts'
import { figuresOf } from '../portal/merchant-figures.ts'
import { isNetmask } from '../../infrastructure/networks.ts'
import { newestRefusals } from '../portal/newest-refusals.ts'
import { noticeWork } from '../portal/notices.ts'
import { readAccount } from '../../infrastructure/bank/payout-account.ts'
import { hashSecret, makeSecretDigests } from '../../infrastructure/people/secrets.ts'
import { staffIn } from '../people/staff.ts'
import { shortlinkIdOf } from '../../infrastructure/people/tokens.ts'
import { holderOfOrganization, shopsOf } from '../portal/shops.ts'
import { makeSpreadsheets } from '../../infrastructure/spreadsheets/spreadsheet-client.ts'
import { logSoFar } from '../transaction-logs/log-so-far.ts'
import { textCell } from '../../infrastructure/transaction-logs/csv.ts'
import { staffVisits } from '../portal/visits.ts'
import type { CallbackSlice } from './callbacks.ts'
import type { PaymentSlice } from './payments.ts'
import type { TransparencySlice } from './transparency.ts'
import { parseAmount } from '../../domain/money/money.ts'
import type { Settings } from '../../infrastructure/settings.ts'

/** For currencies that the setting does not name. */
const usualLimit = '1000'

/** The amount above which a refund in the portal requires a one-time code. */
const refundCodeAbove =
  ({ REFUND_STEP_UP_AMOUNT }: Pick<Settings, 'REFUND_STEP_UP_AMOUNT'>) =>
  (currency: string): number =>
    REFUND_STEP_UP_AMOUNT?.[currency] ?? parseAmount(usualLimit, currency)

type Others = {
  readonly payments: PaymentSlice
  readonly callbacks: CallbackSlice
  readonly transparency: TransparencySlice
}

const paymentsIn = (
  { payments, people, accounting, audit, store, revisionOf, settings }: Core,
  others: Others,
) => ({
  ...{ store, revisionOf, textCell },
  hasPerson: others.payments.needs.hasPerson,
  receipts: others.transparency.needs.receipts,
  lists: payments.lists,
  tidOf: payments.tidOf,
  countedBy: payments.countedAmounts.by,
  keyOfCustomer: people.payers.keyNamed,
  showCustomer: people.payers.show,
  findTerms: accounting.findTerms,
  ledgerOfLine: accounting.transactionLines.ledgerAt,
  settlementTaking: audit.rows.settlementTaking,
  refundCodeAbove: refundCodeAbove(settings),
})

const pointsIn = (core: Core) => ({
  pointsOfSale: core.merchants.pointsOfSale,
  shortlinks: core.merchants.shortlinks,
  scans: core.merchants.scans,
  scanCounts: core.merchants.scanCounts,
  claimSticker: claimSticker(core),
  shortlinkIdFor: (merchant: string, made: string): string =>
    shortlinkIdOf(core.people.derive('shortlink', merchant, made)),
})

const developersIn = (core: Core, { callbacks }: Others) => ({
  ...{ ...callbacks.needs, hashSecret, readPublicKey, isNetmask },
  digestSecret: makeSecretDigests(core.people.derive).digestSecret,
  users: core.merchants.users,
  fingerprintOf: makeFingerprints(),
  refusalsOf: newestRefusals(core),
})

/** Makes the changes of owners that were requested a day before. */
const changingOwners = (core: Core) =>
  changeOwners({
    ...{ handle: core.handle, find: core.find, rows: core.merchants.ownerChanges },
    caughtUp: core.readModels.caughtUp,
    outageOf: core.outagesOf('changing an owner of'),
  })

/** The pages and actions of merchants' staff. Notices are raised in the background. */
export const portalSlice = (core: Core, others: Others) => {
  const { merchants: rows, handle, settings } = core
  const staff = staffIn(core)
  const { end, ...changes } = merchantChanges(core)
  const needs = {
    ...{ ...staff, ...changes, ...figuresOf(core) },
    ...{ ...paymentsIn(core, others), ...pointsIn(core), ...developersIn(core, others) },
    findShop: shopsOf(core).findShop,
    ...{ readAccount, makeSpreadsheet: makeSpreadsheets(), readOpenLog: logSoFar(core) },
    noteVisit: staffVisits(core),
    ownerChanges: rows.ownerChanges,
    withdrawChange: withdrawChange(core),
    signUpMerchant: signUpMerchant({
      ...{ ...staff, handle, find: core.find },
      needsNoApproval: settings.MODE === 'sandbox',
      holderOfOrganization: holderOfOrganization(core),
    }),
  }
  return {
    needs,
    end,
    work: [
      { due: noticeWork(core, staff), sendsMessages: true },
      { due: changingOwners(core), lease: 'merchants' as const },
    ],
  }
}
