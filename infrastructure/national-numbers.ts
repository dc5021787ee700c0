import { isValidBBAN } from 'ibantools'
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { Metadata } from 'libphonenumber-js/mobile'
import { withoutBlanks } from '../domain/blanks.ts'
import { readAccount } from './bank/payout-account.ts'
import { internationalDigits, phoneDigits, phoneText } from '../application/people.ts'

/** Whether national phone numbers of the country (ISO 3166-1, two letters) can be read. */
export const isCountry = (text: string): boolean => isSupportedCountry(text)

/**
 * Reads what people type as a phone number: with its country code, or as they write it in the
 * country. Returns digits with the country code; undefined for what is no valid number.
 */
export const phoneReader =
  (country: string) =>
  (typed: string): string | undefined => {
    const international = internationalDigits(typed)
    if (international !== undefined || !isSupportedCountry(country)) return international
    const number = parsePhoneNumberFromString(withoutBlanks(typed), country)
    return number?.isValid() ? phoneDigits(number.number) : undefined
  }

/** What the library knows of a country and its types leave out. */
type NumberingPlan = {
  callingCode(): string
  nationalPrefix(): string
  type(of: 'MOBILE'): { pattern(): string; possibleLengths(): readonly number[] } | undefined
}

/** Ten thousand numbers are looked up in some tens of milliseconds. */
const mostMissing = 4

/** Every mobile number of the country that begins or ends with some digits, if few are missing. */
export const phonePartReader = (country: string) => {
  if (!isSupportedCountry(country)) return () => []
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const plan = metadata.numberingPlan as unknown as NumberingPlan
  const [code, mobile] = [plan.callingCode(), plan.type('MOBILE')]
  const isMobile = new RegExp(`^(?:${mobile?.pattern() ?? '(?!)'})$`)
  const international = new RegExp(`^(?:\\+|00)${code}`)
  const national = new RegExp(`^${plan.nationalPrefix()}`)
  const filledUp = (digits: string, fill: (missing: string) => string): readonly string[] =>
    (mobile?.possibleLengths() ?? []).flatMap((length) => {
      const missing = length - digits.length
      if (missing < 1 || missing > mostMissing) return []
      const all = Array.from({ length: 10 ** missing }, (_, number) =>
        fill(String(number).padStart(missing, '0')),
      )
      return all.filter((number) => isMobile.test(number))
    })
  /** Digits with the country code. */
  return (typed: string): readonly string[] => {
    const text = phoneText(typed)
    const start = text.replace(international, '')
    if (!/^\d+$/.test(start)) return []
    const first = start.replace(national, '')
    const starts = filledUp(first, (missing) => first + missing)
    const ends = start === text ? filledUp(start, (missing) => missing + start) : []
    return [...new Set([...starts, ...ends])].map((number) => code + number)
  }
}

const digitsOf = (text: string): readonly number[] => [...text].map(Number)

const isDivisible = (digits: readonly number[], weights: readonly number[]): boolean =>
  digits.reduce((sum, digit, at) => sum + digit * (weights[at] ?? 0), 0) % 11 === 0

/** ISO/IEC 7812-1, annex B. */
const isLuhn = (digits: readonly number[]): boolean => {
  const doubled = digits.map((digit, at) => ((digits.length - at) % 2 === 0 ? 2 * digit : digit))
  return doubled.reduce((sum, digit) => sum + (digit > 9 ? digit - 9 : digit), 0) % 10 === 0
}

/** How long numbers of businesses are, and whether their check digit is right. */
const businessNumbers: Readonly<
  Record<string, readonly [length: number, check: (digits: readonly number[]) => boolean]>
> = {
  NO: [9, (digits) => isDivisible(digits, [3, 2, 7, 6, 5, 4, 3, 2, 1])],
  SE: [10, isLuhn],
  DK: [8, (digits) => isDivisible(digits, [2, 7, 6, 5, 4, 3, 2, 1])],
}

/**
 * Whether it can be the number of a business: digits alone by the rule of the country (NO: nine,
 * modulus 11; SE: ten, Luhn; DK: eight, modulus 11), or one that names another country.
 */
export const isOrganizationNumber =
  (country: string) =>
  (number: string): boolean => {
    const [length, check] = businessNumbers[country] ?? []
    if (!/^\d+$/.test(number) || !check) return /^[A-Z0-9]{4,20}$/.test(number)
    return number.length === length && check(digitsOf(number))
  }

/** An account as `readAccount` keeps it; a Norwegian one of digits alone has its check digit. */
export const accountReader =
  (country: string) =>
  (text: string): string | undefined => {
    const account = readAccount(text)
    const isDomestic = country === 'NO' && account !== undefined && /^\d+$/.test(account)
    return isDomestic && !isValidBBAN(account, country) ? undefined : account
  }
