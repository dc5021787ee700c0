import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { catalogue, processMetrics } from '../../service/metrics/catalogue.ts'
import { promtool, rulesFile, testRules } from './promtool.ts'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'runbook', string>>
}

const groups = parse(readFileSync(rulesFile, 'utf8')).groups as { readonly rules: Rule[] }[]
const rules = groups.flatMap((group) => group.rules)

const folder = 'deploy/grafana'
const dashboards = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), 'utf8')
  return [name, JSON.parse(text)] as const
})

type Panel = Readonly<Record<'id' | 'title' | 'type', unknown>> & {
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly targets: readonly { readonly expr: string; readonly refId: string }[]
}

const panelsOf = ({ panels }: { readonly panels: readonly Panel[] }) => panels
const expressions = dashboards.flatMap(([, one]) => [
  ...panelsOf(one).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...(one.templating.list as { readonly query: string }[])
    .map(({ query }) => query)
    .filter((query) => query.startsWith('label_values')),
])

const ofLibrary = processMetrics()
  .getMetricsAsArray()
  .map(({ name }) => name)
const known = new Set<string>([...Object.keys(catalogue), ...ofLibrary])

const isExported = (name: string): boolean => {
  const base = name.replace(/_(?:bucket|sum|count)$/, '')
  if (base === name || known.has(name)) return known.has(name)
  return base in catalogue && catalogue[base as keyof typeof catalogue].type === 'histogram'
}

const namesIn = (expression: string): string[] =>
  expression.match(/\b(?:daybook|nodejs|process)_\w+/g) ?? []

test('alerts and dashboards name metrics that are exported, each at least one', () => {
  for (const expression of [...rules.map(({ expr }) => expr), ...expressions]) {
    const names = namesIn(expression)
    expect([expression, names.filter((name) => !isExported(name))]).toEqual([expression, []])
    if (!/\bup\{/.test(expression)) expect([expression, names]).not.toEqual([expression, []])
  }
})

const labelsOf = (name: string): readonly string[] => {
  const base = name.replace(/_(?:bucket|sum|count)$/, '')
  const metric = base in catalogue ? catalogue[base as keyof typeof catalogue] : undefined
  return metric?.labels ?? []
}

test('their labels are those of the metrics, or of every scrape', () => {
  const always = ['job', 'instance', 'le', 'alertname', 'alertstate']
  for (const expression of [...rules.map(({ expr }) => expr), ...expressions]) {
    const labels = namesIn(expression).flatMap(labelsOf)
    const used = [
      ...[...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
      ...[...expression.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, name = '']) => name),
    ]
    const unknown = used.filter((name) => ![...labels, ...always].includes(name))
    expect([expression, unknown]).toEqual([expression, []])
  }
})

test('every metric of our own is on a dashboard', () => {
  const named = expressions.flatMap(namesIn)
  const shown = new Set(named.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))
  expect(Object.keys(catalogue).filter((name) => !shown.has(name))).toEqual([])
})

const headingsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)

test('each alert has a runbook, and each runbook an alert', () => {
  const told = rules.map(({ annotations }) => annotations.runbook.split('#'))
  rules.forEach(({ alert, annotations }, index) => {
    const [file = '', anchor] = told[index] ?? []
    expect(anchor).toBe(alert.toLowerCase())
    expect([alert, headingsOf(file)]).toEqual([alert, expect.arrayContaining([alert])])
    expect(annotations.summary).toMatch(/\.$/)
  })
  const files = readdirSync('docs/runbooks').map((name) => join('docs/runbooks', name))
  expect(files.flatMap(headingsOf).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
})

test('each section says how to see it, what it means for money, and what to do', () => {
  for (const name of readdirSync('docs/runbooks')) {
    const [, ...sections] = readFileSync(join('docs/runbooks', name), 'utf8').split(/^## /m)
    for (const section of sections)
      expect(section.match(/^- \*\*(See|Money|Do)\*\*: /gm)).toHaveLength(3)
  }
})

test('each alert is set off by its fault in a test', () => {
  const faults = readFileSync('tests/alerts/faults.soak.ts', 'utf8')
  const missing = rules.filter(({ alert }) => !faults.includes(`'${alert}'`))
  expect(missing.map(({ alert }) => alert)).toEqual([])
})

testRules('Prometheus accepts the alerts, and the expressions of the dashboards', () => {
  expect(promtool('check', 'rules', rulesFile)).toContain(`SUCCESS: ${rules.length} rules found`)
  const asked = expressions.filter((one) => !one.startsWith('label_values'))
  const recorded = asked.map((expr, index) => ({
    record: `dashboard:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'any'),
  }))
  const place = mkdtempSync(join(tmpdir(), 'daybook-dashboards-'))
  const file = join(place, 'rules.yaml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboards', rules: recorded }] }))
  expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${asked.length} rules found`)
  rmSync(place, { recursive: true })
})

test.each(dashboards)('%s has what Grafana asks of a dashboard', (name, dashboard) => {
  expect(dashboard).toMatchObject({
    ...{ uid: `daybook-${name.replace('.json', '')}`, title: expect.stringMatching(/^Daybook: /) },
    ...{ schemaVersion: 39, tags: ['daybook'], time: { from: 'now-3h', to: 'now' } },
  })
  const panels = panelsOf(dashboard)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.map(({ gridPos: { x, y, w } }) => {
    expect(x + w).toBeLessThanOrEqual(24)
    return `${x}/${y}`
  })
  expect(new Set(cells).size).toBe(panels.length)
  const variables = (dashboard.templating.list as { readonly name: string }[]).map(
    (one) => one.name,
  )
  const used = JSON.stringify(panels).match(/\$\{?(?!__)(\w+)/g) ?? []
  const unknown = used.filter((one) => !variables.includes(one.replace(/\W/g, '')))
  expect(unknown).toEqual([])
})

test('alerts and dashboards are in the package', { tags: 'long' }, () => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [{ files }] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' }))
  const paths = (files as { readonly path: string }[]).map(({ path }) => path)
  const wanted = [
    rulesFile,
    ...dashboards.map(([name]) => join(folder, name)),
    'docs/runbooks/money.md',
  ]
  expect(paths).toEqual(expect.arrayContaining(wanted))
})
