import type { Html } from './components.tsx'
import { withoutBlanks } from '../../domain/blanks.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount, parseAmount, type Sum } from '../../domain/money/money.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { cached, generationalCache } from '../../application/generational-cache.ts'

export const kept = 200

/** Creating a format costs a hundred times its use. */
export const dates = generationalCache<string, Intl.DateTimeFormat>(kept)

export const numbers = generationalCache<string, NumberFormat>(kept)

/** Of `Intl.NumberFormat`, with one sign for all languages. */
export type NumberFormat = Pick<Intl.NumberFormat, 'format'>

/** English has a hyphen, Norwegian a minus sign: pages have the latter, as wide as a plus. */
export const withMinus = (text: string): string => text.replace('-', '\u2212')

export const nameOf = (locale: string, options: object): string => locale + JSON.stringify(options)

export const dateFormat = (
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat =>
  cached(dates, nameOf(locale, options), () => new Intl.DateTimeFormat(locale, options))

/** What stands between the whole and the decimals of a number. */
export const decimalPoint = (locale: string): string =>
  numberFormat(locale, { minimumFractionDigits: 1 }).format(0).slice(1, -1)

export const numberFormat = (
  locale: string,
  options: Intl.NumberFormatOptions = {},
): NumberFormat =>
  cached(numbers, nameOf(locale, options), () => {
    const { format } = new Intl.NumberFormat(locale, options)
    return { format: (value) => withMinus(format(value)) }
  })

/** An amount with its currency, and with all its decimals. */
export const moneyFormat = (
  locale: string,
  currency: string,
  more: Intl.NumberFormatOptions = {},
): NumberFormat => {
  const decimals = decimalsOf(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return numberFormat(locale, { style: 'currency', currency, ...digits, ...more })
}

/** An amount such as `12.50` in the reader's format, with all its decimals. */
export const moneyText = (amount: string, currency: string, locale: string): string =>
  moneyFormat(locale, currency).format(amount as `${number}`)

/** Smaller type for long amounts, so that narrow screens do not break them. */
export const sizeOf = ({ length }: string): string =>
  length <= 11 ? '' : length <= 16 ? 'long' : 'longest'

/** Minor units in the reader's format. */
export const minorText = (minor: number, currency: string, locale: string): string =>
  moneyText(formatAmount(minor, currency), currency, locale)

/** Without the currency, which stands above the table. */
export const plainAmounts = (locale: string, currency: string) => {
  const decimals = decimalsOf(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = numberFormat(locale, digits)
  return (minor: number | Sum): string =>
    format.format(formatAmount(minor, currency) as `${number}`)
}

/** A time in UTC; a script changes it to the reader's zone. */
export const utcTime = (at: Instant, locale: string): Html => {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
  const text = dateFormat(locale, format).format(at)
  return <time datetime={new Date(at).toISOString()}>{text} UTC</time>
}

/** Who reads a page, and the shop whose page it is. */
export type TimeReader = {
  readonly locale: string
  readonly shop?: { readonly timeZone: string }
  /** Now; the year is told of times in any other. */
  readonly at?: Instant
}

const hasHours12 = (locale: string): boolean =>
  dateFormat(locale, { timeStyle: 'short' }).resolvedOptions().hour12 === true

/** How a time of the shop's year, or of any other, is written. */
const clockFormat = (isThisYear: boolean, locale: string): Intl.DateTimeFormatOptions => {
  if (!isThisYear) return { dateStyle: 'medium', timeStyle: 'short' }
  const hour = hasHours12(locale) ? 'numeric' : '2-digit'
  return { day: 'numeric', month: 'short', hour, minute: '2-digit' }
}

const yearOf = (at: Instant, timeZone: string): string =>
  dateFormat('en', { year: 'numeric', timeZone }).format(at)

/** A time in the zone of the shop, if it is a page of one; a script adds the reader's own. */
export const shopTime = (time: Instant, { locale, shop, at }: TimeReader): Html => {
  if (!shop) return utcTime(time, locale)
  const { timeZone } = shop
  const isThisYear = at !== undefined && yearOf(at, timeZone) === yearOf(time, timeZone)
  return (
    <time datetime={`${new Date(time).toISOString().slice(0, 16)}Z`} data-zone={timeZone}>
      {dateFormat(locale, { ...clockFormat(isThisYear, locale), timeZone }).format(time)}
    </time>
  )
}

const halfDayMs = 43_200_000

/**
 * The time of day until when to wait, with the date when far off. A script changes it to the
 * reader's zone.
 */
export const clockTime = (until: Instant, now: Instant, locale: string): Html => {
  // Round up, so that nobody comes too early.
  const at = Math.ceil(until / 60_000) * 60_000
  if (at - now > halfDayMs) return utcTime(at, locale)
  const format = { timeStyle: 'short', timeZone: 'UTC' } as const
  const text = dateFormat(locale, format).format(at)
  return (
    <time datetime={new Date(at).toISOString()} data-clock="">
      {text} UTC
    </time>
  )
}

/** A typed amount, with comma or period; undefined when invalid. */
export const typedAmount = (text: string, currency: string): number | undefined => {
  try {
    return parseAmount(withoutBlanks(text).replace(',', '.') || '0', currency)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** The same below zero, with a hyphen or a minus sign in front. */
export const typedSigned = (text: string, currency: string): number | undefined => {
  const plain = withoutBlanks(text).replace(/^[\u2212\u2013]/, '-')
  const minor = typedAmount(plain.replace('-', ''), currency)
  return minor !== undefined && plain.startsWith('-') ? 0 - minor : minor
}
