/** An escape; in the group, what is half of a surrogate pair, and so no text. */
const escapes = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)/gs

const hasHalfPair = (text: string): boolean => {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return false
  for (const [, half] of text.matchAll(escapes)) if (half !== undefined) return true
  return false
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Strings and numbers of JSON, of which only the numbers are in the group. */
const scalars = /"(?:[^"\\]+|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

/** Without the zeros that end its decimals. An expression would look from every zero on, and of these there may be a million. */
const withoutEndingZeros = (number: string): string => {
  if (!number.includes('.')) return number
  let end = number.length
  while (number[end - 1] === '0') end -= 1
  return number.slice(0, number[end - 1] === '.' ? end - 1 : end)
}

/** Whether a number is read as it is written, zeros at the end apart. */
const isExact = (number: string): boolean => String(Number(number)) === withoutEndingZeros(number)

/** The member that holds an inexact number as it is written: half of a surrogate pair, so that nobody can send it. */
const inexact = '\ud800'

/** The text of a number that `readJson` could not read exactly; undefined for any other value. */
export const inexactNumber = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || !(inexact in value)) return undefined
  return String(value[inexact])
}

/** JSON whose inexact numbers stay as written, those with an exponent too: as amounts they are none (interface 2). @throws SyntaxError */
const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!/\d[eE]|\d[\d.]{15}/.test(text)) return value
  const exact = text.replace(scalars, (scalar, number?: string) =>
    number === undefined || isExact(number) ? scalar : `{"${inexact}":"${number}"}`,
  )
  return exact === text ? value : JSON.parse(exact)
}

/** JSON in UTF-8, of which `inexactNumber` knows the numbers that are not exact; undefined when it is none. */
export const readJson = (bytes: Uint8Array): unknown => {
  try {
    const text = utf8.decode(bytes)
    return hasHalfPair(text) ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}
