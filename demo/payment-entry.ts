/** An event as the log holds it. */
export type LogEvent = {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly revision: number
  readonly data: any
  /** Of it, `at` is when it happened. */
  readonly metadata: any
}

export type Pots = { readonly amount: number; readonly additionalAmount: number }

export type Charge = {
  readonly fee: number
  readonly interchange: number
  readonly vat: number
  readonly taxcode: string
}

export type Part = Pots & {
  readonly id: string | null
  readonly at: number
  readonly charge: Charge
}

/** What a transaction log owes of an event. */
export type Line = Pots & {
  readonly action: string
  readonly at: number
  readonly id: string | null
  readonly isCredit: boolean
  readonly charge: Charge | null
  /** The report that was open at its event. */
  readonly report: number
  /** Whether a settlement has been started since. */
  readonly isSettled: boolean
}

/** A payment as its raw events tell it; amounts in minor units. */
export type Entry = {
  readonly tid: string
  readonly merchant: string
  readonly posId: string
  readonly posTid: string
  readonly currency: string
  readonly ledger: string
  readonly status: 'pending' | 'auth' | 'ok' | 'fail'
  readonly statusCode: number
  readonly asked: Pots
  readonly authorised: Pots
  readonly released: Pots
  readonly captures: readonly Part[]
  readonly refunds: readonly (Part & { readonly text: string | null })[]
  readonly isCredit: boolean
  /** The scopes that the payer granted along with the authorisation. */
  readonly granted: readonly string[] | null
  readonly modifiedAt: number
  readonly expiresAt: number
  readonly lines: readonly Line[]
  /** The messages that the merchant is owed, in order. */
  readonly owed: readonly { readonly id: string; readonly event: string }[]
}

export const potsOf = ({ amount, additionalAmount }: Pots): Pots => ({ amount, additionalAmount })
