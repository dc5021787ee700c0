const deepest = 32
/** Values of all kinds, nested ones included. */
const mostValues = 16_000
/** Numbers that are kept as text. */
const mostInexact = 5_000
/** Characters of all of these: an amount has some twenty. */
const mostInexactText = 100_000

const [quote, backslash, comma, plus, minus, dot] = [0x22, 0x5c, 0x2c, 0x2b, 0x2d, 0x2e]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
const [zero, nine, letterD, letterE, letterU, lowerCase] = [0x30, 0x39, 0x64, 0x65, 0x75, 0x20]

/** A float keeps so many digits, and is printed without an exponent with so many decimals. */
const exactDigits = 15
const exactDecimals = 6

type Span = readonly [start: number, end: number]

/** What one pass over the text finds before anything is parsed. */
type Scan = { problem: string | undefined; readonly inexact: Span[] }

/** The kind of surrogate that an escape such as \ud800 stands for. */
const surrogateAt = (text: string, at: number): 'high' | 'low' | undefined => {
  // Only \ud8.. to \udf.. are surrogates.
  if (text.charCodeAt(at) !== backslash || text.charCodeAt(at + 1) !== letterU) return undefined
  if ((text.charCodeAt(at + 2) | lowerCase) !== letterD) return undefined
  const kind = parseInt(text.charAt(at + 3), 16)
  if (kind >= 0xc) return 'low'
  return kind >= 8 ? 'high' : undefined
}

/** The end of an escape; undefined for an unpaired surrogate, which is not valid text. */
const endOfEscape = (text: string, at: number): number | undefined => {
  const kind = surrogateAt(text, at)
  if (kind === undefined) return at + 2
  return kind === 'high' && surrogateAt(text, at + 6) === 'low' ? at + 12 : undefined
}

/** The end of a string that begins after `at`; undefined when it has half a surrogate pair. */
const endOfString = (text: string, at: number): number | undefined => {
  for (let next = at + 1; next < text.length;) {
    const code = text.charCodeAt(next)
    if (code === quote) return next
    if (code !== backslash) {
      next += 1
      continue
    }
    const end = endOfEscape(text, next)
    if (end === undefined) return undefined
    next = end
  }
  return text.length
}

const isDigit = (code: number): boolean => code >= zero && code <= nine

/** The last index of a number, noted when it may not survive parsing and printing. */
const endOfNumber = (text: string, at: number, inexact: Span[]): number => {
  let [end, digits, decimals, endingZeros] = [at, 0, 0, 0]
  let [hasPoint, hasExponent] = [false, false]
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (isDigit(code)) {
      digits += 1
      if (hasPoint) decimals += 1
      endingZeros = hasPoint && code === zero ? endingZeros + 1 : 0
    } else if (code === dot) hasPoint = true
    else if ((code | lowerCase) === letterE) hasExponent = true
    else if (code !== minus && code !== plus) break
  }
  const isExact = digits - endingZeros <= exactDigits && decimals - endingZeros <= exactDecimals
  if (hasExponent || !isExact) inexact.push([at, end])
  return end - 1
}

/** Takes time in proportion to the text, whatever it is. */
const scan = (text: string): Scan => {
  const found: Scan = { problem: undefined, inexact: [] }
  const { inexact } = found
  let [depth, values, inexactText] = [0, 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (end === undefined) return { ...found, problem: 'is no valid JSON' }
      at = end
    } else if (code === comma) values += 1
    else if (code === openBracket || code === openBrace) {
      values += 1
      depth += 1
      if (depth > deepest)
        return { ...found, problem: `is JSON nested deeper than ${deepest} levels` }
    } else if (code === closeBracket || code === closeBrace) depth -= 1
    else if (code === minus || isDigit(code)) {
      const before = inexact.length
      const end = endOfNumber(text, at, inexact)
      if (inexact.length > before) inexactText += end + 1 - at
      at = end
    }
    if (inexact.length > mostInexact)
      return { ...found, problem: `is JSON of more than ${mostInexact} numbers that are inexact` }
    if (inexactText > mostInexactText)
      return {
        ...found,
        problem: `is JSON of more than ${mostInexactText} characters of inexact numbers`,
      }
    if (values > mostValues)
      return { ...found, problem: `is JSON of more than ${mostValues} values` }
  }
  return found
}

/**
 * The key that holds the text of an inexact number. An unpaired surrogate, so no client can send
 * it.
 */
const inexactKey = '\ud800'

/** The text of a number that `readJson` could not read exactly; else undefined. */
export const inexactNumber = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || !(inexactKey in value)) return undefined
  return String(value[inexactKey])
}

const validNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Keeps the text of numbers that a float does not; those of no valid form fail to parse. */
const withTexts = (text: string, spans: readonly Span[]): string => {
  const parts: string[] = []
  let at = 0
  for (const [start, end] of spans) {
    const number = text.slice(start, end)
    parts.push(text.slice(at, start))
    const isKept = String(Number(number)) === number || !validNumber.test(number)
    parts.push(isKept ? number : `{"${inexactKey}":"${number}"}`)
    at = end
  }
  return parts.join('') + text.slice(at)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

type ReadJson = { readonly value: unknown } | { readonly problem: string }

/**
 * Parses UTF-8 JSON in time proportional to its bytes: depth and number of values are bounded
 * first. Numbers with more digits than a float keeps, or an exponent (no amount, interface 2), are
 * kept as text for `inexactNumber`.
 */
export const readJson = (bytes: Uint8Array): ReadJson => {
  try {
    const text = utf8.decode(bytes)
    const { problem, inexact } = scan(text)
    if (problem !== undefined) return { problem }
    return { value: JSON.parse(inexact.length === 0 ? text : withTexts(text, inexact)) as unknown }
  } catch {
    return { problem: 'is no valid JSON' }
  }
}
