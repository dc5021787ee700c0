import type { FeeTerms } from '../accounting/fees.ts'
import type { Pots } from '../money/pots.ts'
import type { Permissions } from '../people/grant.ts'
import type { Instant } from '../time.ts'
import type { PaymentDetails, PaymentRequest, RefusalOfFunds } from './payment-events.ts'

/** What to capture or refund: all that is left, or figures; without an id they must be those of all that is left. */
export type Wanted =
  'everything' | (Pots & { readonly id: string | null; readonly currency: string })

/** Whom a customer identifier names: a payer, whoever scans a shortlink or comes along, or nobody. */
export type Customer =
  { readonly id: string } | { readonly shortlink: string } | 'anyone' | 'unknown'

/** Looked up before a request is decided: whom the customer names, and whether POS and ledger take new requests. */
export type RequestFacts = {
  readonly payer: Customer
  readonly posIsKnown: boolean
  readonly ledgerIsOpen: boolean
}

/** What can be asked of a payment; time and everything that was looked up comes along. */
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
      /** Null leaves what the merchant asked for. */
      readonly additionalAmount: number | null
      /** Whether the payer has confirmed an additional amount above the amount. */
      readonly isConfirmed?: boolean
      readonly credit: boolean
      /** What the required scope of the request grants, with its tokens. */
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
      readonly wanted: Wanted
      readonly terms: FeeTerms
    }
  | { readonly type: 'ReleasePayment'; readonly at: Instant }
  | { readonly type: 'RenewPayment'; readonly at: Instant }
  | {
      readonly type: 'RefundPayment'
      readonly wanted: Wanted
      readonly text: string | null
      readonly terms: FeeTerms
    }
  | { readonly type: 'ExpirePayment'; readonly at: Instant }
