import writeExcelFile from 'write-excel-file/node'
import { withoutGuards } from '../transaction-logs/transaction-log.ts'

/** Parses a CSV (RFC 4180) into cells, line by line. */
const readCsv = (text: string): string[][] => {
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

/** A sheet of cells, given directly or as a CSV. */
export type Sheet = {
  readonly name: string
  readonly rows?: readonly (readonly (string | number | null)[])[]
  readonly csv?: Uint8Array
}

/** Columns of a log that contain amounts. */
const amounts: ReadonlySet<string> = new Set([
  ...['amount', 'additional_amount', 'gross', 'fee', 'interchange', 'vat', 'net'],
])

const bold = { fontWeight: 'bold' } as const

const numberCell = (text: string) => {
  const decimals = text.split('.')[1]?.length ?? 0
  const format = decimals === 0 ? '#,##0' : `#,##0.${'0'.repeat(decimals)}`
  return { value: Number(text), type: Number, format } as const
}

/** Excel reads `_x0041_` as `A`. */
const textCell = (text: string) =>
  ({ value: text.replaceAll(/_(?=x[\dA-F]{4}_)/gi, '_x005F_'), type: String }) as const

const cellsOf = ({ rows = [], csv }: Sheet) => {
  const cellOf = (cell: string | number | null) =>
    typeof cell === 'string' ? (cell === '' ? null : textCell(cell)) : cell
  if (!csv) return rows.map((row) => row.map(cellOf))
  const [columns = [], ...lines] = readCsv(Buffer.from(csv).toString('utf8'))
  const areAmounts = columns.map((column) => amounts.has(column))
  return [
    columns.map((name) => ({ ...textCell(name), ...bold })),
    ...lines.map((line) =>
      line.map((text, index) => {
        if (text === '') return null
        return areAmounts[index] ? numberCell(text) : textCell(withoutGuards(text))
      }),
    ),
  ]
}

const make = async (sheets: readonly Sheet[]): Promise<Uint8Array<ArrayBuffer>> => {
  const workbook = sheets.map((sheet) => ({
    sheet: sheet.name,
    data: cellsOf(sheet),
    stickyRowsCount: 1,
  }))
  const file = await writeExcelFile(workbook as Parameters<typeof writeExcelFile>[0]).toBuffer()
  return new Uint8Array(file)
}

export const begin = () => make
