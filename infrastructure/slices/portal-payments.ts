import { parseAmount } from '../../domain/money/money.ts'
import type { Core } from '../core.ts'
import type { Settings } from '../settings.ts'
import { textCell } from '../transaction-logs/csv.ts'
import type { PaymentSlice } from './payments.ts'
import type { transparencySlice } from './transparency.ts'

/** For currencies that the setting does not name. */
const usualLimit = '1000'

/** What the staff of merchants see of payments, and do with them. */
export const portalPayments = (
  { payments, people, accounting, audit, store }: Core,
  { REFUND_STEP_UP_AMOUNT: limits = {} }: Pick<Settings, 'REFUND_STEP_UP_AMOUNT'>,
  { needs: { hasPerson } }: PaymentSlice,
  transparency: Pick<ReturnType<typeof transparencySlice>, 'needs'>,
) => ({
  ...{ store, hasPerson, textCell },
  lists: payments.lists,
  tidOf: payments.tidOf,
  keyOfCustomer: people.payers.keyNamed,
  showCustomer: people.payers.show,
  findTerms: accounting.findTerms,
  settlementTaking: audit.rows.settlementTaking,
  receipts: transparency.needs.receipts,
  refundCodeAbove: (currency: string): number =>
    limits[currency] ?? parseAmount(usualLimit, currency),
})
