import { parseAmount } from '../../domain/money/money.ts'
import type { Core } from '../core.ts'
import { textCell } from '../transaction-logs/csv.ts'
import type { PaymentSlice } from './payments.ts'
import type { TransparencySlice } from './transparency.ts'

/** For currencies that the setting does not name. */
const usualLimit = '1000'

/** What the staff of merchants see of payments, and do with them. */
export const portalPayments = (
  { payments, people, accounting, audit, store, revisionOf, settings }: Core,
  { needs: { hasPerson } }: PaymentSlice,
  { needs: { receipts } }: TransparencySlice,
) => ({
  ...{ store, revisionOf, hasPerson, textCell, receipts },
  lists: payments.lists,
  tidOf: payments.tidOf,
  refundedBy: payments.staffRefunds.refundedBy,
  keyOfCustomer: people.payers.keyNamed,
  showCustomer: people.payers.show,
  findTerms: accounting.findTerms,
  ledgerOfLine: accounting.transactionLines.ledgerAt,
  settlementTaking: audit.rows.settlementTaking,
  refundCodeAbove: (currency: string): number =>
    settings.REFUND_STEP_UP_AMOUNT?.[currency] ?? parseAmount(usualLimit, currency),
})
