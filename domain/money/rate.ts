import { refuse } from '../refusal.ts'
import type { MinorUnits } from './money.ts'

/** A rate between 0 and 1 as decimal text, for instance `0.009` for 0.9 %: exact, never a float. */
export type Rate = string

/** At most twelve decimals. */
export const ratePattern = /^(?:0(?:\.\d{1,12})?|1(?:\.0{1,12})?)$/

/** The quotient rounded to the nearest whole number, a half to the even one (interface 9). */
export const divideHalfEven = (dividend: bigint, divisor: bigint): bigint => {
  if (divisor < 0n) return divideHalfEven(-dividend, -divisor)
  if (dividend < 0n) return -divideHalfEven(-dividend, divisor)
  const quotient = dividend / divisor
  const twice = 2n * (dividend % divisor)
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n)
  return isUp ? quotient + 1n : quotient
}

/**
 * That part of an amount, and a fixed part besides: rounded once, for a tie goes to the even sum. In whole minor units.
 * @throws RangeError for text that is no rate; Refusal when it is beyond what can be counted exactly
 */
export const portionOf = (amount: MinorUnits, rate: Rate, fixed: MinorUnits = 0): MinorUnits => {
  if (!ratePattern.test(rate)) throw new RangeError(`${rate} is no rate`)
  const [whole = '0', decimals = ''] = rate.split('.')
  const numerator = BigInt(whole + decimals)
  if (numerator === 0n) return fixed
  const denominator = 10n ** BigInt(decimals.length)
  const dividend = BigInt(amount) * numerator + BigInt(fixed) * denominator
  const portion = Number(divideHalfEven(dividend, denominator))
  return Number.isSafeInteger(portion) ? portion : refuse('amount_is_too_large')
}

/** An amount times a fraction, in whole minor units; nothing when the whole is nothing. */
export const shareOf = (amount: MinorUnits, part: MinorUnits, whole: MinorUnits): MinorUnits =>
  whole === 0 ? 0 : Number(divideHalfEven(BigInt(amount) * BigInt(part), BigInt(whole)))
