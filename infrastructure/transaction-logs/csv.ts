/** What separates cells of one text in some spreadsheet, or its lines. */
const separators = ';\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029'
/** Blanks, invisible characters and quotes: a spreadsheet may not see them. */
const unseen = `(?:(?![${separators}])[\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}"])*`
/** Where a formula can begin (interface 8), in either width of its first character. */
const formula = new RegExp(`(?<=^|[${separators}])(?=${unseen}[=+\\-@\\t\\r＝＋－＠])`, 'gu')
const special = /[",\r\n]/

/** A cell of text (RFC 4180): an apostrophe makes text of whatever a spreadsheet would run as a formula. */
export const textCell = (text: string | null): string => {
  if (text === null) return ''
  const harmless = text.replace(formula, "'")
  return special.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
