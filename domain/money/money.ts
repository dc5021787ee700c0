import { refuse } from '../refusal.ts'
import { decimalsOf, type Currency } from './currency.ts'

/** An exact count of minor units (øre, cents, yen) of a currency that its context names. */
export type MinorUnits = number

/** A sum of any number of amounts: an exact integer as text, because it may outgrow what a number counts exactly. */
export type Sum = string

export type Money = { readonly minor: MinorUnits | Sum; readonly currency: Currency }

const maximumIntegerDigits = 12

/** @throws RangeError when it is beyond what can be counted exactly. */
export const exact = (minor: MinorUnits): MinorUnits => {
  if (!Number.isSafeInteger(minor)) throw new RangeError(`${minor} is no exact amount`)
  return minor
}

/** @throws RangeError when the sum is no longer exact. */
export const add = (a: MinorUnits, b: MinorUnits): MinorUnits => exact(a + b)

/** @throws RangeError when the difference is no longer exact. */
export const subtract = (a: MinorUnits, b: MinorUnits): MinorUnits => exact(a - b)

/**
 * Reads an amount as the interface writes it: `"12.50"`, or with fewer decimals, never with more (interface 2).
 * @throws Refusal for anything in which meaning could be lost.
 */
export const parseAmount = (text: string, currency: Currency): MinorUnits => {
  const parts = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text)
  if (!parts) return refuse('amount_is_malformed')
  const [, whole = '', fraction = ''] = parts
  const decimals = decimalsOf(currency)
  if (whole.length > maximumIntegerDigits) return refuse('amount_has_too_many_digits')
  if (fraction.length > decimals) return refuse('amount_has_too_many_decimals')
  const minor = Number(whole + fraction.padEnd(decimals, '0'))
  return Number.isSafeInteger(minor) ? minor : refuse('amount_is_too_large')
}

/** The same with a minus before it for what is taken off or given back. @throws Refusal */
export const parseSignedAmount = (text: string, currency: Currency): MinorUnits => {
  if (!text.startsWith('-')) return parseAmount(text, currency)
  // Without the difference to 0, there would be a minus zero.
  return 0 - parseAmount(text.slice(1), currency)
}

/** A price of one unit: whole minor units, and the exact text of one that is finer. */
export type UnitPrice = { readonly minor: MinorUnits; readonly exact: string | null }

const finestUnitPrice = 4

/** Reads a signed amount with up to four more decimals than its currency. @throws Refusal */
export const parseUnitPrice = (text: string, currency: Currency): UnitPrice => {
  const point = text.indexOf('.')
  const finer = point < 0 ? '' : text.slice(point + 1 + decimalsOf(currency))
  if (finer.length > finestUnitPrice) return refuse('amount_has_too_many_decimals')
  const rest = finer === '' ? text : text.slice(0, -finer.length).replace(/\.$/, '')
  const minor = parseSignedAmount(rest, currency)
  if (!/^\d*$/.test(finer)) return refuse('amount_is_malformed')
  return { minor, exact: /^0*$/.test(finer) ? null : text.replace(/0+$/, '') }
}

/** Writes an amount with exactly the decimals of its currency. */
export const formatAmount = (minor: MinorUnits | Sum, currency: Currency): string => {
  const decimals = decimalsOf(currency)
  const text = typeof minor === 'number' ? String(exact(minor)) : minor
  const sign = text.startsWith('-') ? '-' : ''
  const digits = text.slice(sign.length).padStart(decimals + 1, '0')
  if (decimals === 0) return sign + digits
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

const addUpLarge = (sums: readonly (MinorUnits | Sum)[]): Sum =>
  String(sums.reduce<bigint>((total, sum) => total + BigInt(sum), 0n))

/** Exact however large it grows; with numbers as long as they are exact, which takes less than half as long. */
export const addUp = (...sums: readonly (MinorUnits | Sum)[]): Sum => {
  let total = 0
  for (const sum of sums) {
    const minor = Number(sum)
    total += minor
    if (!Number.isSafeInteger(minor) || !Number.isSafeInteger(total)) return addUpLarge(sums)
  }
  return String(total)
}

export const negated = (sum: MinorUnits | Sum): Sum => String(-BigInt(sum))
