import { generationalCache } from '../../application/generational-cache.ts'

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Codes with a name that are no country of an address. */
const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))

/** A replaced code resolves to its successor. */
const isCurrent = (code: string): boolean => new Intl.Locale(`und-${code}`).region === code

const namesIn = (locale: string) =>
  new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })

const listIn = (locale: string): readonly (readonly [code: string, name: string])[] => {
  const names = namesIn(locale)
  const { compare } = new Intl.Collator(locale)
  return letters
    .flatMap((one) => letters.map((other) => one + other))
    .filter((code) => !noCountries.has(code) && isCurrent(code))
    .flatMap((code) => {
      const name = names.of(code)
      return name === undefined ? [] : [[code, name] as const]
    })
    .sort(([, one], [, other]) => compare(one, other))
}

/** Building a list takes milliseconds. */
const lists = generationalCache<string, ReturnType<typeof listIn>>(20)

export const countriesIn = (locale: string): ReturnType<typeof listIn> => {
  const known = lists.get(locale) ?? listIn(locale)
  lists.set(locale, known)
  return known
}

export const countryName = (code: string, locale: string): string =>
  countriesIn(locale).find(([known]) => known === code)?.[1] ?? code
