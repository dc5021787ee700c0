import type { Html } from '../../ui/components.tsx'
import { statusCodes } from '../../../domain/payment/status.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

/** What a list and a page tell of where a payment stands. Sums are of both pots. */
type Standing = {
  readonly statusCode: number
  readonly captured: number
  readonly refunded: number
}

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
