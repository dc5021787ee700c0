import { refuse } from '../refusal.ts'
import { decimalsOf, type Currency } from './currency.ts'

/** Øre, cents, yen … of a currency given by context. */
export type MinorUnits = number

/** An exact integer as text, because sums may exceed what a number holds exactly. */
export type Sum = string

export type Money = { readonly minor: MinorUnits | Sum; readonly currency: Currency }

const maximumIntegerDigits = 12

/** @throws RangeError when it is not an exact integer */
const exact = (minor: MinorUnits): MinorUnits => {
  if (!Number.isSafeInteger(minor)) throw new RangeError(`${minor} is not an exact amount`)
  return minor
}

export const add = (a: MinorUnits, b: MinorUnits): MinorUnits => exact(a + b)

export const subtract = (a: MinorUnits, b: MinorUnits): MinorUnits => exact(a - b)

/**
 * Parses an amount such as "12.50", with at most the currency's decimals (interface 2).
 * @throws Refusal
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

/** Also accepts a leading minus. @throws Refusal */
export const parseSignedAmount = (text: string, currency: Currency): MinorUnits => {
  if (!text.startsWith('-')) return parseAmount(text, currency)
  // `0 -` avoids minus zero.
  return 0 - parseAmount(text.slice(1), currency)
}

/** Whole minor units, and the exact text if the price has more decimals. */
export type UnitPrice = { readonly minor: MinorUnits; readonly exact: string | null }

const maxExtraDecimals = 4

/** Accepts four more decimals than the currency has. @throws Refusal */
export const parseUnitPrice = (text: string, currency: Currency): UnitPrice => {
  const point = text.indexOf('.')
  const finer = point < 0 ? '' : text.slice(point + 1 + decimalsOf(currency))
  if (finer.length > maxExtraDecimals) return refuse('amount_has_too_many_decimals')
  const rest = finer === '' ? text : text.slice(0, -finer.length).replace(/\.$/, '')
  const minor = parseSignedAmount(rest, currency)
  if (!/^\d*$/.test(finer)) return refuse('amount_is_malformed')
  return { minor, exact: /^0*$/.test(finer) ? null : text.replace(/0+$/, '') }
}

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

/** Uses numbers while they are exact, which takes half the time of bigint. */
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

/** The amount and an addition to it (a tip). Each is captured and refunded separately. */
export type Pots = { readonly amount: MinorUnits; readonly additionalAmount: MinorUnits }

export const nothing: Pots = { amount: 0, additionalAmount: 0 }

export const potsOf = ({ amount, additionalAmount }: Pots): Pots => ({ amount, additionalAmount })

export const plus = (a: Pots, b: Pots): Pots => ({
  amount: add(a.amount, b.amount),
  additionalAmount: add(a.additionalAmount, b.additionalAmount),
})

export const minus = (a: Pots, b: Pots): Pots => ({
  amount: subtract(a.amount, b.amount),
  additionalAmount: subtract(a.additionalAmount, b.additionalAmount),
})

export const isNothing = ({ amount, additionalAmount }: Pots): boolean =>
  amount === 0 && additionalAmount === 0

export const samePots = (a: Pots, b: Pots): boolean => isNothing(minus(a, b))

/** Decimal text from 0 to 1, such as `0.009` for 0.9 %; never a float. */
export type Rate = string

export const ratePattern = /^(?:0(?:\.\d{1,12})?|1(?:\.0{1,12})?)$/

/** Rounds half to even (interface 9). */
export const divideHalfEven = (dividend: bigint, divisor: bigint): bigint => {
  if (divisor < 0n) return divideHalfEven(-dividend, -divisor)
  if (dividend < 0n) return -divideHalfEven(-dividend, divisor)
  const quotient = dividend / divisor
  const twice = 2n * (dividend % divisor)
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n)
  return isUp ? quotient + 1n : quotient
}

/**
 * The share of an amount plus a fixed fee, rounded once on their sum. @throws RangeError for an
 * invalid rate, Refusal when the result is not exact
 */
export const portionOf = (amount: MinorUnits, rate: Rate, fixed: MinorUnits = 0): MinorUnits => {
  if (!ratePattern.test(rate)) throw new RangeError(`${rate} is not a rate`)
  const [whole = '0', decimals = ''] = rate.split('.')
  const numerator = BigInt(whole + decimals)
  if (numerator === 0n) return fixed
  const denominator = 10n ** BigInt(decimals.length)
  const dividend = BigInt(amount) * numerator + BigInt(fixed) * denominator
  const portion = Number(divideHalfEven(dividend, denominator))
  return Number.isSafeInteger(portion) ? portion : refuse('amount_is_too_large')
}

/** An amount times part / whole, in minor units; 0 when the whole is 0. */
export const shareOf = (amount: MinorUnits, part: MinorUnits, whole: MinorUnits): MinorUnits =>
  whole === 0 ? 0 : Number(divideHalfEven(BigInt(amount) * BigInt(part), BigInt(whole)))
