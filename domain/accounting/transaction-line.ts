import { addUp, type MinorUnits, type Sum } from '../money/money.ts'
import type { Instant } from '../time.ts'
import type { Charge } from './fees.ts'

/** Lines of a scope log: a permission request was made, answered or ended without an answer. */
export const permissionActions = [
  'permission_request',
  'permission_answered',
  'permission_fail',
] as const

/** Lines of transaction logs (interface 8) and scope logs; `fee` is a settlement fee. */
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
  'dispute',
  'correction',
  ...permissionActions,
] as const

export type LineAction = (typeof lineActions)[number]

/** What merchants call lines that move money (`/merchant/v1/transaction/`). */
export const transactionKinds = [
  'capture',
  'refund',
  'permission_fee',
  'settlement_fee',
  'correction',
  'dispute',
] as const

export type TransactionKind = (typeof transactionKinds)[number]

/** Null for actions that never move money. */
export const kindOfAction: Readonly<Record<LineAction, TransactionKind | null>> = {
  request: null,
  auth: null,
  capture: 'capture',
  release: null,
  abort: null,
  expire: null,
  fail: null,
  refund: 'refund',
  fee: 'settlement_fee',
  dispute: 'dispute',
  correction: 'correction',
  permission_request: null,
  permission_answered: 'permission_fee',
  permission_fail: null,
}

/** Amounts in minor units, negative for refunds, disputes that are opened, and some corrections. */
export type TransactionLine = {
  /** Log position of its event; decides which report and settlement include it. */
  readonly position: number
  readonly merchant: string
  readonly ledger: string
  /** Of a payment; kept with lines that move money. */
  readonly posId?: string | null
  /** Of a permission request, which counts for no point of sale; kept as `posId` is. */
  readonly permissionPosId?: string | undefined
  /** Kept as `posId` is. */
  readonly posTid?: string | null | undefined
  /** Who has made it, as events name them; not kept with the line. */
  readonly actor?: string
  /** Whether it is the first capture of its payment; not kept with the line. */
  readonly isFirst?: boolean
  /** The tid of the payment, the rid of the permission request or the id of the correction. */
  readonly tid: string
  /** Capture, refund or dispute id. */
  readonly subId: string | null
  readonly at: Instant
  readonly action: LineAction
  readonly credit: boolean
  readonly customer: string | null
  readonly currency: string
  readonly amount: MinorUnits
  readonly additionalAmount: MinorUnits
  /** Null if no money moves. */
  readonly charge: Charge | null
  /** Reason for a refund, dispute or correction. */
  readonly text: string | null
}

type MoneyLine = TransactionLine & { readonly charge: Charge }

type Moved = Pick<MoneyLine, 'amount' | 'additionalAmount' | 'charge'>

/** What a line adds to a balance: gross less fee, interchange and VAT. */
export const netOf = ({ amount, additionalAmount, charge }: Moved): Sum =>
  addUp(amount, additionalAmount, -charge.fee, -charge.interchange, -charge.vat)

export const movesMoney = <Line extends Pick<TransactionLine, 'charge'>>(
  line: Line,
): line is Line & Pick<MoneyLine, 'charge'> => line.charge !== null
