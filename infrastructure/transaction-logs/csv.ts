/** Characters that separate cells or lines in some spreadsheets. */
const separators = ';\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029'
/** Whitespace, invisible characters and quotes, which a spreadsheet may skip. */
const unseen = `(?:(?![${separators}])[\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}"])*`
/** Where a formula can begin (interface 8), including full-width characters. */
const formula = new RegExp(`(?<=^|[${separators}])(?=${unseen}[=+\\-@\\t\\r＝＋－＠])`, 'gu')
const special = /[",\r\n]/

/** A text cell (RFC 4180); an apostrophe keeps spreadsheets from running it as a formula. */
export const textCell = (text: string | null): string => {
  if (text === null) return ''
  const harmless = text.replace(formula, "'")
  return special.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
