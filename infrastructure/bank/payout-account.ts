import { isSEPACountry, isValidIBAN } from 'ibantools'
import { withoutBlanks } from '../../domain/blanks.ts'

/** Whether it is an IBAN without spaces, with correct check digits (ISO 13616). */
export const isIban = (text: string): boolean => isValidIBAN(text)

/** Whether it is an IBAN of a country whose banks take credit transfers of SEPA. */
export const isSepaAccount = (account: string): boolean =>
  isIban(account) && isSEPACountry(account.slice(0, 2))

/** An account in its stored form: an IBAN, or a national number; undefined for anything else. */
export const readAccount = (text: string): string | undefined => {
  const account = withoutBlanks(text).replaceAll('.', '').toUpperCase()
  const looksLikeIban = /^[A-Z]{2}\d{2}/.test(account)
  const isRight = looksLikeIban ? isIban(account) : /^[A-Z0-9-]{4,34}$/.test(account)
  return isRight ? account : undefined
}

export const plainAccount = (text: string): string =>
  withoutBlanks(text).replaceAll(/[.-]/g, '').toUpperCase()

/** Whether a bank means the account: as IBAN, or by the national number (BBAN) in it. */
export const isSameAccount = (one: string, other: string): boolean => {
  const [a, b] = [plainAccount(one), plainAccount(other)]
  return a === b || (isIban(a) && a.slice(4) === b) || (isIban(b) && b.slice(4) === a)
}
