import type { Instant } from '../domain/time.ts'
import type { MovedFunds, MovementKind } from '../domain/payment/funding.ts'
import type { RefusalOfFunds } from '../domain/payment/payment-events.ts'

/** Who is to pay what for which payment; amounts in minor units of the currency, both pots together. */
type Funds = {
  readonly tid: string
  readonly payer: string
  readonly currency: string
  readonly amount: number
}

/** Something that has become of approved money. */
export type Movement = Funds &
  MovedFunds & {
    /** The id of its event: equal when it is told again. */
    readonly id: string
    readonly at: Instant
  }

/** Knows whether a payer's money is good, and moves it (decisions 12): a bank, a card scheme, a wallet. */
export type FundingSource = {
  /**
   * Answers null when the money is good, else why not. It may be asked more than once for a payment, whose answer was
   * lost, and for one that is aborted meanwhile: what it holds for a payment without a capture has to lapse by itself.
   */
  approve(request: Funds & { readonly credit: boolean }): Promise<RefusalOfFunds | null>
  /**
   * Called for all that is captured, released or refunded: those of one payment in the order of the log, each at least
   * once. What rejects is told again, and holds up what comes after it. Absent where no money moves.
   */
  readonly moves?: Readonly<Record<MovementKind, (movement: Movement) => Promise<void>>>
}
