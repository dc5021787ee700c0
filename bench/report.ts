import { cpus, release, totalmem, type } from 'node:os'
import type { Where } from '../infrastructure/worker.ts'
import type { Appends } from './append.ts'
import {
  atOnce,
  backgroundPace,
  readingPace,
  readers,
  type HttpFigures,
  type Reading,
  type Round,
} from './http.ts'
import { rowsOf, type OneAtATime } from './one-at-a-time.ts'

export type Figures = {
  readonly isQuick: boolean
  readonly seconds: number
  readonly commits: readonly { readonly group: number; readonly perSecond: number }[]
  readonly rsa: number
  readonly http: HttpFigures
  readonly oneAtATime: readonly OneAtATime[]
  readonly appends: readonly Appends[]
  readonly rebuild: { readonly events: number; readonly events_per_second: number }
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const ratio = (value: number): string => value.toFixed(2)
const milliseconds = (value: number): string => `${value.toFixed(2)} ms`

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** A figure with the limit of the same run, and the target. */
type Comparison = readonly [
  what: string,
  figure: string,
  limit: string,
  value: number,
  target: string,
  isReached: boolean,
]

const compared = (
  what: string,
  unit: string,
  pairs: readonly { readonly figure: number; readonly limit: number }[],
  target: number,
): Comparison => {
  const value = median(pairs.map(({ figure, limit }) => figure / limit))
  const figure = median(pairs.map(({ figure }) => figure))
  const limit = median(pairs.map(({ limit }) => limit))
  return [what, `${whole(figure)} ${unit}`, whole(limit), value, `≥ ${target}`, value >= target]
}

const comparisons = ({ http, appends, rebuild }: Figures): string[][] => {
  const { rounds, calm, paced, flooded } = http
  const beside = (figure: (round: Round) => number) =>
    rounds.map((round) => ({ figure: figure(round), limit: round.bare.perSecond }))
  const raw = (kind: 'known' | 'new', committing: Where) =>
    appends.map((round) => ({ figure: round[kind][committing], limit: round[kind].raw }))
  const inThread = 'append, 32 in flight, through a thread of its own as in the service'
  const ratios = [
    compared(
      'captures, SECRET, 64 connections',
      'requests/s',
      beside(({ captures }) => captures.perSecond),
      0.5,
    ),
    compared(
      'whole lifecycles, 64 in flight',
      'requests/s',
      beside(({ lifecycles }) => lifecycles.perSecond),
      0.5,
    ),
    compared('append, 32 in flight, streams that exist', 'events/s', raw('known', 'inline'), 0.75),
    compared('append, 32 in flight, new streams', 'events/s', raw('new', 'inline'), 0.75),
    compared(`${inThread}, streams that exist`, 'events/s', raw('known', 'worker'), 0.75),
    compared(`${inThread}, new streams`, 'events/s', raw('new', 'worker'), 0.75),
  ].map(([what, figure, limit, value, target, isReached]) => [
    what,
    figure,
    limit,
    ratio(value),
    target,
    isReached ? 'yes' : 'no',
  ])
  const speed = rebuild.events_per_second
  const read = (what: string, readings: readonly Reading[]) => {
    const p99 = median(readings.map(({ outcomes }) => outcomes.p99))
    const limit = median(readings.map(({ bare }) => bare.p99))
    const value = median(readings.map(({ outcomes, bare }) => outcomes.p99 / bare.p99))
    const isReached = p99 < 5 ? 'yes' : 'no'
    return [what, milliseconds(p99), milliseconds(limit), ratio(value), '< 5 ms', isReached]
  }
  const captures = `${whole(backgroundPace)} captures/s beside`
  const ceaseless = `${readers} connections reading outcomes without a pause`
  return [
    ...ratios,
    [
      `rebuild of the read models from ${whole(rebuild.events)} events`,
      `${whole(speed)} events/s`,
      '',
      '',
      '≥ 60,000 events/s',
      speed >= 60_000 ? 'yes' : 'no',
    ],
    read(`p99 of ${whole(readingPace)} outcomes/s, ${readers} connections, ${captures}`, calm),
    read(`p99 of ${ceaseless}, ${captures}`, paced),
    read(`p99 of ${ceaseless}, ${atOnce} capturing`, flooded),
  ]
}

const machine = (): string => {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const system = `${type()} ${release()}, Node ${process.version}`
  return `${cpus().length} × ${first?.model.trim()}, ${memory} GB, ${system}`
}

const runOf = ({ isQuick, seconds }: Figures, date: Date): string => {
  const caution = isQuick ? ', a quick run: too short to compare' : ''
  return `${date.toISOString().slice(0, 10)}; ${Math.round(seconds)} seconds${caution}`
}

const alone = ({ oneAtATime }: Figures): string => `## One at a time

One lifecycle of four requests, with nothing else in flight, beside \`bench/plain-app.ts\`: the same
requests, and one transaction each with \`synchronous=FULL\`. The service should take at most 1.3
times as long.

${table(['', 'service', 'plain app', 'ratio'], rowsOf(oneAtATime))}`

/**
 * The figures as Markdown. Nothing is asserted, because other tenants of the machine affect the
 * results.
 */
export const report = (figures: Figures, date: Date): string => {
  const { commits, rsa, http } = figures
  const bare = median(http.rounds.map(({ bare }) => bare.perSecond))
  const lifecycles = median(http.rounds.map(({ lifecycles }) => lifecycles.perSecond)) / 4
  const heads = ['', 'figure', 'limit of the same run', 'ratio', 'target', 'reached']
  return `# Bench

${machine()}; ${runOf(figures, date)}.
Repeat it with \`npm run bench\` (\`npm run bench -- --quick\` only shows that it runs). The service
is one process with its read models on, started as \`npm start\` does on an empty directory; the
load comes from another process, which used at most ${ratio(http.loadCpu)} of a core. Figures and
limits are medians of rounds that take turns; ratios are formed within a round. For each round of
captures and lifecycles both apps are started anew, the service with the log that it has by then.

## Targets

${table(heads, comparisons(figures))}

The limit of reading outcomes is how long the bare durable app takes to answer \`GET /\` to as many
readers, with as many captures beside. A lifecycle is create, accept, capture and read the outcome,
which must show the capture: ${whole(lifecycles)} of them a second.

${alone(figures)}

## Limits

${table(
  ['', 'per second'],
  [
    ...commits.map(({ group, perSecond }) => [
      `rows of 600 bytes, raw better-sqlite3, \`synchronous=FULL\`, ${group} in a commit`,
      whole(perSecond),
    ]),
    ['requests, bare Hono answer, 64 connections', whole(http.hello.perSecond)],
    ['requests, bare durable app, 64 connections', whole(bare)],
    ['RSA-2048 verifications, imported key', whole(rsa)],
  ],
)}

The bare durable app is \`bench/bare-app.ts\`: Hono, the same headers against a verdict in memory,
the same body through zod, and one row of 600 bytes in a group commit.

## Requests

Requests of level KEY are signed before the clock runs, and run out in a second or two: their
warm-up is a quarter of the others', and less of them is counted.

${table(
  ['', 'level', 'connections', 'per second', 'p50', 'p95', 'p99'],
  http.cells.map(({ what, level, connections, perSecond, p50, p95, p99 }) => [
    what,
    level,
    String(connections),
    whole(perSecond),
    ...[p50, p95, p99].map(milliseconds),
  ]),
)}
`
}
