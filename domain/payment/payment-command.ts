import type { FeeTerms } from '../accounting/fees.ts'
import type { AttachmentCommand } from '../merchant/attachment.ts'
import type { MinorUnits, Pots } from '../money/money.ts'
import type { Permissions } from '../people/grant.ts'
import type { Instant } from '../time.ts'
import type { PaymentDetails, PaymentRequest, RefusalOfFunds } from './payment-events.ts'

/** Everything left, or given amounts. Amounts without an id must equal everything left. */
export type RequestedAmounts =
  'everything' | (Pots & { readonly id: string | null; readonly currency: string })

/** The payer, a shortlink whose scan names the payer, anyone, or an unknown customer. */
export type Customer =
  { readonly id: string } | { readonly shortlink: string } | 'anyone' | 'unknown'

/** Facts looked up before the decision. */
export type RequestFacts = {
  readonly payer: Customer
  readonly posIsKnown: boolean
  readonly ledgerIsOpen: boolean
}

export type PaymentCommand =
  | {
      readonly type: 'RequestPayment'
      readonly at: Instant
      readonly request: PaymentRequest
      readonly facts: RequestFacts
    }
  | {
      readonly type: 'AmendPayment'
      readonly changes: Partial<PaymentDetails>
      readonly ledgerIsOpen: boolean
    }
  | {
      readonly type: 'PickUpPayment'
      readonly at: Instant
      readonly payer: string
      readonly scan: string
    }
  | {
      readonly type: 'AuthorizePayment'
      readonly at: Instant
      readonly payer: string
      /** Null keeps the requested amount. */
      readonly additionalAmount: number | null
      /** The payer confirmed an additional amount above the amount. */
      readonly isConfirmed?: boolean
      readonly credit: boolean
      /** Granted for the required scope, with tokens. */
      readonly permissions?: Permissions
    }
  | { readonly type: 'DeclinePayment'; readonly at: Instant; readonly payer: string }
  | {
      readonly type: 'RefuseFunds'
      readonly at: Instant
      readonly payer: string
      readonly statusCode: RefusalOfFunds
    }
  | {
      readonly type: 'CapturePayment'
      readonly at: Instant
      readonly wanted: RequestedAmounts
      readonly terms: FeeTerms
    }
  | { readonly type: 'ReleasePayment'; readonly at: Instant }
  | { readonly type: 'RenewPayment'; readonly at: Instant }
  | {
      readonly type: 'RefundPayment'
      readonly wanted: RequestedAmounts
      readonly text: string | null
      readonly terms: FeeTerms
    }
  | {
      readonly type: 'OpenDispute'
      readonly at: Instant
      /** The next number the caller expects; repeating an earlier one changes nothing. */
      readonly dispute: number
      /** Both pots together; null for all that can be disputed. */
      readonly gross: MinorUnits | null
      readonly reason: string
      readonly due: Instant
      readonly fee: MinorUnits
      readonly terms: FeeTerms
    }
  | {
      readonly type: 'SendEvidence'
      readonly at: Instant
      readonly dispute: number
      readonly contents: AttachmentCommand['contents']
    }
  | {
      readonly type: 'CloseDispute'
      readonly dispute: number
      readonly outcome: 'won' | 'lost'
    }
  | { readonly type: 'ExpirePayment'; readonly at: Instant }
