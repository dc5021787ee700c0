import { decimalsOf } from '../domain/money/currency.ts'

/** An outcome as the interface words it; amounts are exact decimal text, dates are UTC. */
export type Outcome = {
  readonly tid: string
  readonly pos_id: string
  readonly pos_tid: string
  readonly customer: string | null
  readonly currency: string
  readonly amount: string
  readonly additional_amount: string
  readonly auth_amount: string
  readonly auth_additional_amount: string
  readonly released_amount: string
  readonly released_additional_amount: string
  readonly captures: readonly Capture[]
  readonly refunds: readonly Refund[]
  readonly transaction_fee: string
  readonly interchange_fee: string
  readonly credit: boolean
  readonly status: string
  readonly status_code: number
  readonly date_modified: string
  readonly date_expires: string
  readonly ledger: string
  readonly report_id: string
  readonly report_uri: string
  /** What the payer granted along with the authorisation. */
  readonly permissions: { readonly scope: string; readonly access_token?: string } | null
}

export type Part = {
  readonly id: string | null
  readonly amount: string
  readonly additional_amount: string
  readonly date: string
}
export type Capture = Part & { readonly transaction_fee: string; readonly interchange_fee: string }
export type Refund = Part & { readonly text: string | null }

/** An amount with all the decimals that its currency has. */
export const amountIn = (currency: string, minor: number): string => {
  const decimals = decimalsOf(currency)
  return (minor / 10 ** decimals).toFixed(decimals)
}

/** Minor units of an exact decimal: all the decimals are always there. */
export const minorOf = (amount: string): number => Number(amount.replace('.', ''))

/** `YYYY-MM-DD hh:mm:ss` of milliseconds since 1970. */
export const timeOf = (at: number): string =>
  new Date(at).toISOString().slice(0, 19).replace('T', ' ')
