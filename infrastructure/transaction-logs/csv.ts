/** Characters that make a spreadsheet run a cell as a formula when they come first, in either width. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/
const special = /[",\r\n]/

/** A cell of text: what a spreadsheet would run as a formula becomes text with an apostrophe before it; RFC 4180. */
export const textCell = (text: string | null): string => {
  if (text === null) return ''
  const harmless = formula.test(text) ? `'${text}` : text
  return special.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
