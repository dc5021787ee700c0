/** An escape; the group holds an unpaired surrogate, which is not valid text. */
const escapes = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)/gs

const hasHalfPair = (text: string): boolean => {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return false
  for (const [, half] of text.matchAll(escapes)) if (half !== undefined) return true
  return false
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Strings and numbers of JSON; the group holds numbers. */
const scalars = /"(?:[^"\\]+|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

/**
 * Trims zeros after the decimals. A regular expression would take quadratic time on a million
 * zeros.
 */
const withoutEndingZeros = (number: string): string => {
  if (!number.includes('.')) return number
  let end = number.length
  while (number[end - 1] === '0') end -= 1
  return number.slice(0, number[end - 1] === '.' ? end - 1 : end)
}

/** Whether a number survives parsing, trailing zeros aside. */
const isExact = (number: string): boolean => String(Number(number)) === withoutEndingZeros(number)

/**
 * The key that holds the text of an inexact number. An unpaired surrogate, so no client can send
 * it.
 */
const inexact = '\ud800'

/** The text of a number that `readJson` could not read exactly; else undefined. */
export const inexactNumber = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || !(inexact in value)) return undefined
  return String(value[inexact])
}

/**
 * Keeps the text of inexact numbers and of those with an exponent, which are no amounts (interface
 * 2). @throws SyntaxError
 */
const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!/\d[eE]|\d[\d.]{15}/.test(text)) return value
  const exact = text.replace(scalars, (scalar, number?: string) =>
    number === undefined || isExact(number) ? scalar : `{"${inexact}":"${number}"}`,
  )
  return exact === text ? value : JSON.parse(exact)
}

/** Parses UTF-8 JSON and keeps inexact numbers for `inexactNumber`; undefined when invalid. */
export const readJson = (bytes: Uint8Array): unknown => {
  try {
    const text = utf8.decode(bytes)
    return hasHalfPair(text) ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}
