// Evaluates the shipped alerts over scraped metrics with Prometheus' own engine.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'vitest'

export const rulesFile = 'deploy/prometheus/alerts.yaml'

/** Why no rule can be evaluated here; undefined if it can. */
const whyNot = spawnSync('promtool', ['--version']).error
  ? 'promtool is not installed (apt-get install prometheus)'
  : undefined

/** Runs if rules can be evaluated; otherwise the title says why it is skipped. */
export const testRules = (
  title: string,
  body: (context: TestContext) => void | Promise<void>,
  ms?: number,
): void => {
  const told = whyNot === undefined ? title : `${title}: skipped, ${whyNot}`
  test.skipIf(whyNot !== undefined)(told, body, ms)
}

/** The metrics of a service at a moment; no text if it did not answer. */
export type Scrape = { readonly text: string | undefined; readonly at: number }

export const scrape = async (address: string, at = Date.now()): Promise<Scrape> => {
  const text = await fetch(`${address}/metrics`).then(
    (response) => response.text(),
    () => undefined,
  )
  return { text, at }
}

const own = 'job="daybook",instance="till:9464"'

/** Series with the labels of a scrape. Moments count from it: promtool's clock begins at 0. */
const seriesIn = ({ text, at }: Scrape): Map<string, number> => {
  const found = new Map([[`up{${own}}`, Number(text !== undefined)]])
  for (const line of (text ?? '').split('\n')) {
    const [, name = '', labels, value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === '' || Number.isNaN(Number(value))) continue
    const isMoment = name.endsWith('_timestamp_seconds')
    const shown = Number(value) - (isMoment ? at / 1_000 : 0)
    found.set(`${name}{${labels ? `${labels},` : ''}${own}}`, shown)
  }
  return found
}

const everySeconds = 15

const valuesOf = (parts: readonly (readonly [number | undefined, count: number])[]): string =>
  parts
    .flatMap(([value, count], index) => {
      if (value !== undefined) return [`${value}+0x${count - 1}`]
      return index === 0 ? [`_x${count}`] : [`stale _x${count - 1}`]
    })
    .join(' ')

export const promtool = (...words: string[]): string =>
  execFileSync('promtool', words, { encoding: 'utf8', stdio: 'pipe' })

type Check = { readonly seconds: number; readonly alerts: readonly string[] }

/** Runs a unit test of the rules: at these times the alerts of these names fire, and no others. */
const expectFiring = (
  series: readonly { readonly series: string; readonly values: string }[],
  checks: readonly Check[],
): void => {
  const firing = checks.map(({ seconds, alerts }) => ({
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${seconds}s`,
    exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
  }))
  const interval = `${everySeconds}s`
  const tests = [{ interval, input_series: series, promql_expr_test: firing }]
  const given = { rule_files: [resolve(rulesFile)], evaluation_interval: interval, tests }
  const folder = mkdtempSync(join(tmpdir(), 'daybook-rules-'))
  const file = join(folder, 'test.yaml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(given))
  const words = ['test', 'rules', file]
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
}

const quiet = 20
const faulty = 9

/** The thread is that of the test as well: its delays count only where they are the fault. */
const ofThread = /^nodejs_eventloop_/
const blocked = 'DaybookEventLoopBlocked'

/**
 * Given a healthy service for five minutes and then a fault, exactly these alerts fire two minutes
 * later, and none fires before. Of each state there is one scrape, which goes on.
 */
export const expectAlerts = (before: Scrape, after: Scrape, alerts: readonly string[]): void => {
  const [one, other] = [seriesIn(before), seriesIn(after)]
  const names = [...new Set([...one.keys(), ...other.keys()])]
  const counted = names.filter((name) => alerts.includes(blocked) || !ofThread.test(name))
  const series = counted.map((name) => ({
    series: name,
    values: valuesOf([
      [one.get(name), quiet],
      [other.get(name), faulty],
    ]),
  }))
  expectFiring(series, [
    { seconds: (quiet - 1) * everySeconds, alerts: [] },
    { seconds: (quiet + faulty - 1) * everySeconds, alerts },
  ])
}

/** Nothing fires in an hour that goes on like these scrapes, which follow each other evenly. */
export const expectQuietHour = (scrapes: readonly Scrape[]): void => {
  const each = Math.ceil(3_600 / everySeconds / scrapes.length)
  const all = scrapes.map(seriesIn)
  const names = [...new Set(all.flatMap((one) => [...one.keys()]))]
  const series = names
    .filter((name) => !ofThread.test(name))
    .map((name) => ({
      series: name,
      values: valuesOf(all.map((one) => [one.get(name), each])),
    }))
  const checks = Array.from({ length: 60 }, (_, minute) => ({ seconds: minute * 60, alerts: [] }))
  expectFiring(series, checks)
}
