import { isValidIBAN } from 'ibantools'
import { withoutBlanks } from '../domain/blanks.ts'

/** Whether it is an IBAN without spaces, with correct check digits (ISO 13616). */
export const isIban = (text: string): boolean => isValidIBAN(text)

/** An account in its stored form: an IBAN, or a national number; undefined for anything else. */
export const readAccount = (text: string): string | undefined => {
  const account = withoutBlanks(text).replaceAll('.', '').toUpperCase()
  const looksLikeIban = /^[A-Z]{2}\d{2}/.test(account)
  const isRight = looksLikeIban ? isIban(account) : /^[A-Z0-9-]{4,34}$/.test(account)
  return isRight ? account : undefined
}
