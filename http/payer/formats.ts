import { cached, generationalCache } from '../../application/generational-cache.ts'

const kept = 200

/** Creating a format costs a hundred times its use. */
const dates = generationalCache<string, Intl.DateTimeFormat>(kept)
const numbers = generationalCache<string, Intl.NumberFormat>(kept)

const nameOf = (locale: string, options: object): string => locale + JSON.stringify(options)

export const dateFormat = (
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat =>
  cached(dates, nameOf(locale, options), () => new Intl.DateTimeFormat(locale, options))

export const numberFormat = (
  locale: string,
  options: Intl.NumberFormatOptions = {},
): Intl.NumberFormat =>
  cached(numbers, nameOf(locale, options), () => new Intl.NumberFormat(locale, options))
