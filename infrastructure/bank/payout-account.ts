import { isSEPACountry, isValidIBAN } from 'ibantools'
import { withoutBlanks } from '../../domain/blanks.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'

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

/** An address with what banks need from November 2026: town and country. */
export type PayoutAddress = {
  readonly lines: readonly string[]
  readonly postCode: string | null
  readonly town: string
  /** ISO 3166, two letters. */
  readonly country: string
}

type Known = Pick<MerchantData, 'profile' | 'jurisdiction'>

const escaped = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`)

/** The town that stands with the postal code in a line, such as `NO-0150 Oslo`. */
const townBeside = (postCode: string, line: string): string | undefined => {
  const plain = escaped(postCode)
  const [, after, before] =
    new RegExp(String.raw`^(?:[A-Z]{1,2}-)?${plain}\s+(.+)$|^(.+?),?\s+${plain}$`, 'i').exec(
      line,
    ) ?? []
  return after ?? before
}

/**
 * A merchant's address; undefined if its town is not known. A profile has no field for it: it is
 * what stands beside the postal code, or a last line without any digit.
 */
export const payoutAddress = ({ profile, jurisdiction }: Known): PayoutAddress | undefined => {
  const country = profile.country ?? jurisdiction
  if (country === null || !/^[A-Z]{2}$/i.test(country)) return undefined
  const { postalCode: postCode } = profile
  const lines = profile.addressLines.map((line) => line.trim()).filter(Boolean)
  const about = { postCode, country: country.toUpperCase() }
  for (const [index, line] of lines.entries()) {
    const town = postCode === null ? undefined : townBeside(postCode.trim(), line)
    if (town !== undefined) return { ...about, town, lines: lines.toSpliced(index, 1) }
  }
  const last = lines.at(-1)
  if (last === undefined || lines.length < 2 || /\p{Nd}/u.test(last)) return undefined
  return { ...about, town: last, lines: lines.slice(0, -1) }
}
