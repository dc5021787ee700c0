/** The cells of a CSV (RFC 4180), line by line. */
export const readCsv = (text: string): string[][] => {
  const lines: string[][] = []
  let line: string[] = []
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    if (line.length > 1 || line[0] !== '') lines.push(line)
    line = []
  }
  return lines
}
