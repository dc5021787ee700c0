/** Characters that separate cells or lines in some spreadsheets. */
const separators = ';\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029'
/** Whitespace, invisible characters and quotes, which a spreadsheet may skip. */
const unseen = `(?:(?![${separators}])[\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}"])*`
/** A formula begins after the first, before the second (interface 8), also in full width. */
const [cellStart, formulaStart] = [`(?<=^|[${separators}])`, `(?=${unseen}[=+\\-@\\t\\r＝＋－＠])`]
const formula = new RegExp(cellStart + formulaStart, 'gu')
const guards = new RegExp(`${cellStart}'${formulaStart}`, 'gu')
const special = /[",\r\n]/

/** A text cell (RFC 4180); an apostrophe keeps spreadsheets from running it as a formula. */
export const textCell = (text: string | null): string => {
  if (text === null) return ''
  const harmless = text.replace(formula, "'")
  return special.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/**
 * The text of a cell for a format whose text cells run nothing. An apostrophe of its own before
 * what looks like a formula is taken for a guard.
 */
export const withoutGuards = (text: string): string => text.replace(guards, '')
