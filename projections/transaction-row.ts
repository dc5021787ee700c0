import type { TransactionKind } from '../domain/accounting/transaction-line.ts'
import type { MinorUnits, Sum } from '../domain/money/money.ts'
import type { Instant } from '../domain/time.ts'

/** A line that moves money, with the balance after it. Amounts in minor units. */
export type Transaction = {
  readonly position: number
  /** Settlement fees of one settlement differ in it alone; empty for lines. */
  readonly part: string
  /** Null for settlement fees, which belong to no ledger. */
  readonly ledger: string | null
  readonly kind: TransactionKind
  readonly at: Instant
  readonly currency: string
  readonly gross: MinorUnits
  readonly fee: MinorUnits
  readonly interchange: MinorUnits
  readonly vat: MinorUnits
  readonly taxcode: string
  readonly balance: Sum
  readonly tid: string | null
  readonly posId: string | null
  readonly posTid: string | null
  /** Of a capture or a refund, as the merchant named it. */
  readonly subId: string | null
  /** Of a settlement fee. */
  readonly settlementId: string | null
}

/** A place in the order of the log. */
export type TransactionPlace = Pick<Transaction, 'position' | 'part'>

/** Positions between two others. */
export type Between = { readonly after: number; readonly before: number }

export const anywhere: Between = { after: -1, before: Number.MAX_SAFE_INTEGER }
