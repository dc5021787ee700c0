import type { GrantedPermissions, PaymentOutcome } from '../client/index.ts'
import { decimalsOf } from '../domain/money/currency.ts'

/** What the books can tell of an outcome. */
export type Outcome = Omit<PaymentOutcome, 'attachment_uri' | 'permissions'> & {
  /** What the payer granted along with the authorisation. */
  readonly permissions: Pick<GrantedPermissions, 'scope'> | null
}

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
