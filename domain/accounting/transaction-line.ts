import type { MinorUnits } from '../money/money.ts'
import type { Instant } from '../time.ts'
import type { Charge } from './charge.ts'

/** What a line of a scope log tells: a permission request was made, was answered, or ended without an answer. */
export const permissionActions = [
  'permission_request',
  'permission_answered',
  'permission_fail',
] as const

/** What a line of a transaction log tells (interface 8), or one of a scope log; `fee` is the fee of a settlement. */
export const lineActions = [
  'request',
  'auth',
  'capture',
  'release',
  'abort',
  'expire',
  'fail',
  'refund',
  'fee',
  ...permissionActions,
] as const

export type LineAction = (typeof lineActions)[number]

/** A line of a transaction log or a scope log; amounts in minor units, those of a refund below zero. */
export type TransactionLine = {
  /** Of its event in the log: decides the report and the settlement that it belongs to. */
  readonly position: number
  readonly merchant: string
  readonly ledger: string
  /** Of the payment, or the rid of the permission request. */
  readonly tid: string
  /** Capture or refund id. */
  readonly subId: string | null
  readonly at: Instant
  readonly action: LineAction
  readonly credit: boolean
  readonly customer: string | null
  readonly currency: string
  readonly amount: MinorUnits
  readonly additionalAmount: MinorUnits
  /** Null on lines that move no money. */
  readonly charge: Charge | null
  /** The reason of a refund. */
  readonly text: string | null
}

/** A line whose money moves: it is settled. */
type MoneyLine = TransactionLine & { readonly charge: Charge }

export const movesMoney = <Line extends Pick<TransactionLine, 'charge'>>(
  line: Line,
): line is Line & Pick<MoneyLine, 'charge'> => line.charge !== null
