import { cached, generationalCache } from '../../application/generational-cache.ts'

const kept = 200

/** Creating a format costs a hundred times its use. */
const dates = generationalCache<string, Intl.DateTimeFormat>(kept)
const numbers = generationalCache<string, NumberFormat>(kept)

/** Of `Intl.NumberFormat`, with one sign for all languages. */
type NumberFormat = Pick<Intl.NumberFormat, 'format'>

/** English has a hyphen, Norwegian a minus sign: pages have the latter, as wide as a plus. */
export const withMinus = (text: string): string => text.replace('-', '\u2212')

const nameOf = (locale: string, options: object): string => locale + JSON.stringify(options)

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
