import type { Client, PaymentRequestInput } from '../client/index.ts'
import type { Kiosk } from './kiosk.ts'
import type { Receiver } from './receiver.ts'

export type Shop = {
  /** The till, with its secret. */
  readonly till: Client
  /** The owner, who signs with an RSA key. */
  readonly owner: Client
  /** Reads with an access token that a payer has granted. */
  readonly readWith: (accessToken: string, path: string) => Promise<unknown>
  readonly receiver: Receiver
  readonly callbackUri: string
  readonly kiosk: Kiosk
}

/** What the till knows of one of its payments when the day is over. */
export type Sale = {
  readonly number: number
  readonly title: string
  readonly tid: string
  /** As the till named the customer. */
  readonly customer: string
}

/** What a till asks for; much of it has a default in the demo. */
export type Input = Pick<PaymentRequestInput, 'amount'> &
  Omit<Partial<PaymentRequestInput>, 'customer' | 'additional_amount'> & {
    readonly customer?: string
    readonly additional_amount?: string
  }

export const alice = '+4799999901'
export const bob = '+4799999902'
