import type { Html } from '../../ui/components.tsx'
import { statusCodes } from '../../../domain/payment/status.ts'
import type { Instant } from '../../../domain/time.ts'
import { statusCodeOf } from '../../../projections/payment-search.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

/** What a list and a page tell of where a payment stands. Sums are of both pots. */
type Standing = {
  readonly statusCode: number
  readonly captured: number
  readonly refunded: number
}

type Sums = {
  /** Requested, with what the payer added. */
  readonly requested: number
  /** Still to be captured or released. */
  readonly reserved: number
  readonly captured: number
  readonly refunded: number
}

type Named<Name> = readonly [name: Name, minor: number]

/**
 * The amount of a payment: what was paid, or else what is reserved, or else what was requested; and
 * what differs from it.
 */
export const amountsOf = ({ requested, reserved, captured, refunded }: Sums) => {
  const main: Named<'paid' | 'reserved' | 'requested'> =
    captured > 0
      ? ['paid', captured]
      : reserved > 0
        ? ['reserved', reserved]
        : ['requested', requested]
  const others: readonly Named<'refunded' | 'reserved' | 'requested'>[] = [
    ['refunded', refunded],
    ['reserved', captured > 0 ? reserved : 0],
    ['requested', captured > 0 && captured + reserved < requested ? requested : 0],
  ]
  return { main, beside: others.filter(([, minor]) => minor > 0) }
}

/** Expiry takes effect at its instant, recorded or not (interface 4.5). */
export const sumsOfRow = (row: PaymentRow, at: Instant): Sums => ({
  requested: row.amount + row.additionalAmount,
  reserved:
    statusCodeOf(row, at) === statusCodes.AUTH ? row.amountLeft + row.additionalAmountLeft : 0,
  captured: row.captured,
  refunded: row.refunded,
})

type State = keyof {
  [
    Name in keyof Catalogue['payments'] as Name extends `state_${infer State}` ? State : never
  ]: unknown
}

const failures: Readonly<Record<number, State>> = {
  [statusCodes.ABORTED]: 'aborted',
  [statusCodes.REJECTED]: 'declined',
  [statusCodes.REQUEST_EXPIRED]: 'expired',
  [statusCodes.AUTH_EXPIRED]: 'expired',
}

export const stateOf = ({ statusCode, captured, refunded }: Standing): State => {
  if (refunded > 0) return refunded < captured ? 'partRefunded' : 'refunded'
  switch (statusCode) {
    case statusCodes.PENDING:
      return 'waiting'
    case statusCodes.AUTH:
      return captured > 0 ? 'partReserved' : 'reserved'
    case statusCodes.OK:
      return 'paid'
    default:
      return captured > 0 ? 'partExpired' : (failures[statusCode] ?? 'failed')
  }
}

const kinds: Readonly<Record<State, 'good' | 'open' | 'returned' | 'bad'>> = {
  waiting: 'open',
  reserved: 'open',
  partReserved: 'open',
  paid: 'good',
  partExpired: 'good',
  partRefunded: 'returned',
  refunded: 'returned',
  aborted: 'bad',
  declined: 'bad',
  expired: 'bad',
  failed: 'bad',
}

export const badgeHtml = (texts: Catalogue['payments'], standing: Standing): Html => {
  const state = stateOf(standing)
  return <span class={`badge ${kinds[state]}`}>{texts[`state_${state}`]}</span>
}
