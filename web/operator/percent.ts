import { withoutBlanks } from '../../domain/blanks.ts'
import { ratePattern, type Rate } from '../../domain/money/rate.ts'

/** A decimal number with its point moved to the right by so many places. */
const shifted = (text: string, places: number): string => {
  const [given = '0', decimals = ''] = text.split('.')
  const whole = given.padStart(1 - Math.min(places, 0), '0')
  const digits = whole + decimals.padEnd(places, '0')
  const at = whole.length + places
  const shown = `${digits.slice(0, at)}.${digits.slice(at)}`
  return shown.replace(/^0+(?=\d)/, '').replace(/\.?0*$/, '') || '0'
}

/** `0.009` as the percent that people type: `0.9`. */
export const percentOf = (rate: Rate): string => shifted(rate, 2)

/** A typed percent as a rate; undefined for anything else. */
export const rateOfPercent = (typed: string): Rate | undefined => {
  const text = withoutBlanks(typed).replaceAll('%', '').replace(',', '.')
  if (!/^\d{1,3}(?:\.\d{1,10})?$/.test(text)) return undefined
  const rate = shifted(text, -2)
  return ratePattern.test(rate) ? rate : undefined
}
