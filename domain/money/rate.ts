import { refuse } from '../refusal.ts'
import type { MinorUnits } from './money.ts'

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
