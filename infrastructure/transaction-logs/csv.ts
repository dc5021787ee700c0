/** Characters that separate cells or lines in some spreadsheet. */
const separators = ';\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029'
/** Blanks, invisible characters and quotes, which a spreadsheet may skip. */
const unseen = `(?:(?![${separators}])[\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}"])*`
/** Where a formula can begin (interface 8), full-width characters included. */
const formula = new RegExp(`(?<=^|[${separators}])(?=${unseen}[=+\\-@\\t\\r＝＋－＠])`, 'gu')
const special = /[",\r\n]/

/** A text cell (RFC 4180); an apostrophe keeps a spreadsheet from running it as a formula. */
export const textCell = (text: string | null): string => {
  if (text === null) return ''
  const harmless = text.replace(formula, "'")
  return special.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
