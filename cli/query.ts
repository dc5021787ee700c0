import { momentForms, readMoment } from '../audit/as-of/asked-moment.ts'
import { queryLog } from '../audit/query/query-log.ts'
import { fail } from '../infrastructure/failures.ts'
import { onLog, preset, show, value } from './command.ts'

const upTo =
  (name: string, most: number) =>
  (text: string): number =>
    /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= most
      ? Number(text)
      : fail(`--${name} must be a number from 1 to ${most}`)

const [usualRows, mostRows, usualSeconds, mostSeconds] = [1_000, 100_000, 30, 600]

/** `daybook query`: SQL over documented views, as of a moment (docs/auditors.md). */
export const queryCommand = onLog({
  name: 'query <select>',
  about: 'ask payments, lines, payouts, callbacks and consents with SQL',
  options: {
    asOf: value('<moment>', `${momentForms}; else now`),
    rows: preset('<n>', `at most, up to ${mostRows}`, usualRows, upTo('rows', mostRows)),
    seconds: preset(
      '<n>',
      `at most, up to ${mostSeconds}`,
      usualSeconds,
      upTo('seconds', mostSeconds),
    ),
  },
  run: async ({ store, ...terminal }, sql, { asOf, rows, seconds }) => {
    const moment =
      asOf === undefined
        ? undefined
        : (readMoment(asOf) ?? fail(`${asOf} is not a moment: give ${momentForms}`))
    const answer = await queryLog({ store }, { sql, moment, mostRows: rows, mostSeconds: seconds })
    const { columns, rows: found, ...head } = answer
    const cell = (one: unknown): string => (one === null ? '' : String(one))
    const table = [columns, ...found].map((row) => `${row.map(cell).join('\t')}\n`).join('')
    show(terminal, answer, `${JSON.stringify(head)}\n${table}`)
  },
})
