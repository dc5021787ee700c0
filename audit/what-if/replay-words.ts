import type { RowDifference, TableCompared, Cell } from './compare-files.ts'
import type { BuildReplayed } from './replay-build.ts'
import type { FeesReplayed } from './replay-fees.ts'

const number = (count: number): string => count.toLocaleString('en-GB')

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** Maximum width of a line's texts. */
const widest = 100

export const cellText = (cell: Cell): string => {
  if (cell instanceof Uint8Array) return `${cell.length} bytes`
  const text = JSON.stringify(cell)
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text
}

const rowOf = ({ key }: RowDifference): string =>
  Object.entries(key)
    .map(([name, cell]) => `${name} ${typeof cell === 'string' ? cell : cellText(cell)}`)
    .join(', ')

const lineOf = (difference: RowDifference): string => {
  const row = `  ${rowOf(difference)}:`
  if ('onlyIn' in difference) return `${row} only ${difference.onlyIn}`
  const { column, here, there } = difference
  return `${row} ${column} is ${cellText(here)} here, ${cellText(there)} there`
}

const linesOfTable = (compared: TableCompared): readonly string[] => {
  const { table, rows, columnsOnlyIn, isComparable, count, differences } = compared
  const more = count - differences.length
  const lines = [
    ...(['here', 'there'] as const).flatMap((side) =>
      columnsOnlyIn[side].map((name) => `  column ${name} is only ${side}`),
    ),
    ...(isComparable ? [] : ['  rows are found by other columns: they were not compared']),
    ...differences.map(lineOf),
    ...(more > 0 ? [`  … and ${number(more)} more`] : []),
  ]
  const sizes =
    rows.here === rows.there
      ? counted(rows.here, 'row')
      : `${counted(rows.here, 'row')} here, ${number(rows.there)} there`
  return lines.length === 0
    ? []
    : [`${table} (${sizes}): ${counted(count, 'difference')}`, ...lines]
}

/** Number of differences, including everything that only one of them has. */
export const countOfBuild = (found: BuildReplayed): number => {
  if ('problem' in found) return 1
  const { tablesOnlyIn, tables } = found
  const ofTables = tables.map(({ columnsOnlyIn, isComparable, count }) => {
    const columns = columnsOnlyIn.here.length + columnsOnlyIn.there.length
    return count + columns + (isComparable ? 0 : 1)
  })
  const tablesOfOne = tablesOnlyIn.here.length + tablesOnlyIn.there.length
  return ofTables.reduce((sum, one) => sum + one, tablesOfOne)
}

export const textOfBuild = (found: BuildReplayed): string => {
  const { position, here, there } = found
  const versions = `this build (${here.madeBy}) and ${there.build} (${there.madeBy ?? 'unknown'})`
  if ('problem' in found)
    return `${there.build} cannot fold this log up to ${position}. It says:\n${found.problem}`
  const count = countOfBuild(found)
  const { tablesOnlyIn, tables } = found
  const rows = tables.reduce((sum, one) => sum + one.rows.here, 0)
  const verdict =
    count === 0
      ? `No difference: ${counted(rows, 'row')} in ${counted(tables.length, 'table')} are the same.`
      : `${counted(count, 'difference')}:`
  const ofOne = (['here', 'there'] as const).flatMap((side) =>
    tablesOnlyIn[side].map((name) => `table ${name} is only ${side}`),
  )
  const lines = [...ofOne, ...tables.flatMap(linesOfTable)]
  const title = `Events up to position ${number(position)}, folded by ${versions}`
  return [title, verdict, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')
}

export const textOfFees = ({ position, count, differences, sums }: FeesReplayed): string => {
  const lines = differences.map((one) => {
    const { event, at, type, merchant, subject, part, amount, currency } = one
    const about = `event ${event}, ${at}, ${type} of ${merchant}, ${subject}`
    const change = `${amount} ${one.recorded} -> ${one.otherwise} ${currency}`
    return `  ${about}${part === null ? '' : ` ${part}`}: ${change}`
  })
  const more = count - differences.length
  const totals = sums.flatMap(({ merchant, currency, charges, payouts }) => [
    `  ${merchant}: charged ${charges.recorded} -> ${charges.otherwise} ${currency}`,
    `  ${merchant}: paid out ${payouts.recorded} -> ${payouts.otherwise} ${currency}`,
  ])
  return [
    `Events up to position ${number(position)}, with the fees that were set, and with other fees`,
    count === 0 ? 'No difference.' : `${counted(count, 'difference')}:`,
    ...lines,
    ...(more > 0 ? [`  … and ${number(more)} more`] : []),
    ...(totals.length > 0 ? ['', 'In all:', ...totals] : []),
  ].join('\n')
}
