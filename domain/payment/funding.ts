import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { add, type MinorUnits } from '../money/money.ts'
import type { Pots } from '../money/pots.ts'
import type { PaymentEvent } from './payment-events.ts'

/** What can become of money that a funding source has approved: it is taken, let go, or given back. */
export type MovementKind = 'capture' | 'release' | 'refund'

export type MovedFunds = { readonly kind: MovementKind; readonly amount: MinorUnits }

const moved = (kind: MovementKind, { amount, additionalAmount }: Pots): MovedFunds => ({
  kind,
  amount: add(amount, additionalAmount),
})

/** What an event moves of the payer's money, both pots together; undefined for what moves none. */
export const movedFunds = (event: PaymentEvent): MovedFunds | undefined => {
  switch (event.type) {
    case 'PaymentCaptured':
      return moved('capture', event.data)
    case 'PaymentReleased':
    case 'PaymentAuthorizationExpired':
      return moved('release', event.data)
    case 'PaymentRefunded':
      return moved('refund', event.data)
    case 'PaymentRequested':
    case 'PaymentPickedUp':
    case 'PaymentAmended':
    case 'PaymentAuthorized':
    case 'PaymentDeclined':
    case 'PaymentFailed':
    case 'PaymentAborted':
    case 'PaymentExpired':
    case 'PaymentRenewed':
      return undefined
  }
}

export const fundingEvents = {
  /** The funding source has been told of all that moved up to this position in the log; the first says where it began. */
  FundingSourceTold: z.object({ position: z.int().nonnegative() }),
} as const

export type FundingEvent = EventsOf<typeof fundingEvents>

/** Null before anything was to be told. */
export type Funding = { readonly told: number | null }

export type FundingCommand = {
  readonly type: 'BeginTelling' | 'RecordTold'
  readonly position: number
}

/** How far the funding source has been told of the log. */
export const funding: Decider<FundingCommand, FundingEvent, Funding> = {
  initial: { told: null },
  decide({ type, position }, { told }) {
    const isKnown = type === 'BeginTelling' ? told !== null : told !== null && position <= told
    return isKnown ? [] : [{ type: 'FundingSourceTold', data: { position } }]
  },
  evolve: (_, { data }) => ({ told: data.position }),
}
