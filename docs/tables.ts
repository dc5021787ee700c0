// Prints tables from the code (`npm run docs`): settings, commands, and the views of queries.
import type { Command } from 'commander'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { format } from 'prettier'
import { operatorProgram } from '../cli/operator.ts'
import { views } from '../audit/query/views.ts'
import { logFields } from '../infrastructure/logs/log-line.ts'
import { listedSettings, readSettings } from '../infrastructure/settings.ts'
import { catalogue, processMetrics, type MetricName } from '../service/metrics/catalogue.ts'

const file = new URL('operations.md', import.meta.url)
const auditorsFile = new URL('auditors.md', import.meta.url)
const metricsFile = new URL('metrics.md', import.meta.url)
const logLinesFile = new URL('log-lines.md', import.meta.url)

export const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

const settingsTable = (): string[] => [
  row('name', 'default', 'meaning'),
  row('---', '---', '---'),
  ...listedSettings().map(({ name, preset, meaning }) =>
    row(`\`${name}\``, preset === '' ? '' : `\`${preset}\``, meaning),
  ),
]

/** The commands that do something, with the words before them. */
const leaves = (command: Command, before = ''): { usage: string; about: string }[] =>
  command.commands.flatMap((sub) => {
    const usage = `${before}${sub.name()}`
    if (sub.commands.length > 0) return leaves(sub, `${usage} `)
    const given = sub.usage().replace(/^\[options\] ?/, '')
    return [{ usage: `${usage} ${given}`.trim(), about: sub.description() }]
  })

const commandsTable = (): string[] => {
  const unused = async (): Promise<never> => {
    throw new Error('no command is run here')
  }
  const settings = readSettings({})
  const program = operatorProgram({ settings, version: '', serve: unused })
  const rows = leaves(program).map(({ usage, about }) => row(`\`daybook ${usage}\``, about))
  return [row('command', 'what it does'), row('---', '---'), ...rows]
}

export const withTable = (text: string, name: string, lines: readonly string[]): string => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [before = '', rest = ''] = text.split(begin, 2)
  const [, after = ''] = rest.split(end, 2)
  return `${before}${begin}\n\n${lines.join('\n')}\n\n${end}${after}`
}

const viewsTable = (): string[] => [
  row('view', 'column', 'meaning'),
  row('---', '---', '---'),
  ...Object.entries(views).flatMap(([name, { about, columns }]) => [
    row(`\`${name}\``, '', about),
    ...Object.entries(columns).map(([column, { about: meaning }]) =>
      row('', `\`${column}\``, meaning),
    ),
  ]),
]

const metricsTable = (): string[] => {
  const own = Object.keys(catalogue).map((name) => {
    const metric = catalogue[name as MetricName]
    const labels = (metric.labels ?? []).map((one) => `\`${one}\``)
    return row(`\`${name}\``, metric.type, labels.join(', '), metric.help)
  })
  const ofProcess = processMetrics()
    .getMetricsAsArray()
    .map(({ name, help, type }) => row(`\`${name}\``, String(type), '', help))
  const head = [row('metric', 'type', 'labels', 'meaning'), row('---', '---', '---', '---')]
  return [...head, ...own, ...ofProcess]
}

const logLinesTable = (): string[] => [
  row('field', 'meaning'),
  row('---', '---'),
  ...logFields().map(([name, meaning]) => row(`\`${name}\``, meaning)),
]

export const formatted = (text: string): Promise<string> =>
  format(text, { parser: 'markdown', printWidth: 100, semi: false, singleQuote: true })

export const operationsPage = readFileSync(file, 'utf8')

export const auditorsPage = readFileSync(auditorsFile, 'utf8')

export const metricsPage = readFileSync(metricsFile, 'utf8')

export const logLinesPage = readFileSync(logLinesFile, 'utf8')

/** operations.md with the tables as the code has them now. */
export const printedOperations = (): Promise<string> =>
  formatted(
    withTable(withTable(operationsPage, 'settings', settingsTable()), 'commands', commandsTable()),
  )

/** auditors.md with the table of views. */
export const printedAuditors = (): Promise<string> =>
  formatted(withTable(auditorsPage, 'views', viewsTable()))

/** metrics.md with the table of metrics. */
export const printedMetrics = (): Promise<string> =>
  formatted(withTable(metricsPage, 'metrics', metricsTable()))

/** log-lines.md with the table of fields. */
export const printedLogLines = (): Promise<string> =>
  formatted(withTable(logLinesPage, 'log-lines', logLinesTable()))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(file, await printedOperations())
  writeFileSync(auditorsFile, await printedAuditors())
  writeFileSync(metricsFile, await printedMetrics())
  writeFileSync(logLinesFile, await printedLogLines())
}
