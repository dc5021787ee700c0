import { writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { programIn } from '../audit/what-if/replay-build.ts'
import { median, openScope, type Case, type Figure, type Options, type Scenario } from './scope.ts'

/*
 * `npm run bench -- <scenario> [case …] [rounds] [seconds] [place] [--options]`; README.md lists
 * the cases.
 */

const scenarios: Readonly<Record<string, () => Promise<{ readonly cases: Scenario }>>> = {
  budget: () => import('./budget.ts'),
  limits: () => import('./limits.ts'),
  requests: () => import('./requests.ts'),
  peers: () => import('./peers.ts'),
  growth: () => import('./growth.ts'),
  money: () => import('./money.ts'),
  callbacks: () => import('./callbacks.ts'),
  pages: () => import('./pages.ts'),
  stores: () => import('./stores.ts'),
  upgrade: () => import('./upgrade.ts'),
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    size: { type: 'string' },
    place: { type: 'string' },
    against: { type: 'string' },
    out: { type: 'string' },
  },
})

const roundsAgainst = 4

const say = (text: string): void => void process.stderr.write(`${text}\n`)

type Build = Map<string, readonly Figure[]>

const printed = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)

const inTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const ratiosOf = (figures: readonly Figure[]): number[] =>
  figures.flatMap(({ value, limit }) => (limit === undefined ? [] : [value / limit]))

const medianOf = (figures: readonly Figure[]): number => median(figures.map(({ value }) => value))

/** Medians of the rounds; a ratio is formed within its round. */
const rowOf = ([what, figures]: readonly [string, readonly Figure[]]): string[] => {
  const { unit = '', target, more = '' } = figures.at(-1) ?? {}
  const limits = figures.flatMap(({ limit }) => limit ?? [])
  const value = medianOf(figures)
  const ratio = median(ratiosOf(figures))
  const [of, comparison = '', wanted = 0] = target ?? []
  const compared = of === 'ratio' ? ratio : value
  const isReached = comparison === '≥' ? compared >= wanted : compared <= wanted
  return [
    what,
    `${printed(value)} ${unit}`,
    limits.length > 0 ? printed(median(limits)) : '',
    limits.length > 0 ? ratio.toFixed(2) : '',
    target ? `${comparison} ${wanted}${of === 'value' ? ` ${unit}` : ''}` : '',
    target ? (isReached ? 'yes' : 'no') : '',
    more,
  ]
}

const tableOfOne = (figures: Build): string =>
  inTable(['', 'figure', 'limit', 'ratio', 'target', 'reached', ''], [...figures].map(rowOf))

/** Each round of both builds, and the median of the ratios within rounds. */
const tableOfBoth = (ours: Build, theirs: Build): string => {
  const rows = [...ours].map(([what, figures]) => {
    const others = theirs.get(what) ?? []
    const each = (all: readonly Figure[]) => all.map(({ value }) => printed(value)).join(' ')
    const ratios = figures.map(({ value }, at) => value / (others[at]?.value ?? Number.NaN))
    return [`${what}, ${figures[0]?.unit}`, each(figures), each(others), median(ratios).toFixed(2)]
  })
  return inTable(['', 'this build', 'the other', 'ratio'], rows)
}

/** What the words after the cases and the options say, else what the case says. */
const extentOf = ({ usual, quick }: Case, words: readonly string[]) => {
  const numbers = words.filter((word) => Number(word) > 0).map(Number)
  const extent = options.quick ? quick : usual
  const given = (option: string | undefined, number?: number) =>
    option === undefined ? number : Number(option)
  return {
    rounds: given(options.rounds, numbers[0]) ?? extent.rounds,
    seconds: given(options.seconds, numbers[1]) ?? extent.seconds,
    size: given(options.size) ?? extent.size,
    place: options.place ?? words.find((word) => !(Number(word) > 0)),
  }
}

const thisCheckout = fileURLToPath(new URL('..', import.meta.url))

type Round = Awaited<ReturnType<Case['open']>>

const addRound = async (options: Options, round: Round, figures: Build): Promise<void> => {
  const scope = openScope(options)
  try {
    for (const figure of await round(scope))
      figures.set(figure.what, [...(figures.get(figure.what) ?? []), figure])
  } finally {
    await scope.close()
  }
}

/** The figures of a case as a table; builds take turns to begin a round. */
const tableOf = async (name: string, one: Case, words: readonly string[]): Promise<string> => {
  const extent = extentOf(one, words)
  const { against } = options
  if (against && one.isOfThisCheckout) throw new Error(`${name} measures this checkout alone`)
  const rounds = against ? Math.max(roundsAgainst, extent.rounds) : extent.rounds
  const scopes: ReturnType<typeof openScope>[] = []
  const builds: { readonly figures: Build; readonly add: () => Promise<void> }[] = []
  try {
    for (const checkout of against ? [thisCheckout, against] : [thisCheckout]) {
      const settings = { ...extent, program: programIn(checkout), say }
      const shared = openScope(settings)
      scopes.push(shared)
      const round = await one.open(shared)
      const figures: Build = new Map()
      builds.push({ figures, add: () => addRound(settings, round, figures) })
    }
    for (let round = 0; round < rounds; round++) {
      say(`${name}: round ${round + 1} of ${rounds}`)
      for (const { add } of round % 2 === 0 ? builds : builds.toReversed()) await add()
    }
  } finally {
    for (const { close } of scopes) await close()
  }
  const [ours, theirs] = builds.map(({ figures }) => figures) as [Build, Build?]
  const extents = `Rounds: ${rounds}; seconds: ${extent.seconds}; size: ${extent.size}`
  const table = theirs ? tableOfBoth(ours, theirs) : tableOfOne(ours)
  return `## ${name}\n\n${one.about}. ${extents}.\n\n${table}\n`
}

const machine = (): string => {
  const memory = Math.round(totalmem() / 2 ** 30)
  const system = `${type()} ${release()}, Node ${process.version}`
  const load = loadavg()[0]?.toFixed(1)
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory} GB, ${system}, load ${load}`
}

const main = async ([scenario = '', ...words]: readonly string[]): Promise<void> => {
  const read = scenarios[scenario]
  if (!read) throw new Error(`name a scenario: ${Object.keys(scenarios).join(', ')}`)
  const { cases } = await read()
  const named = words.filter((word) => word in cases)
  const rest = words.filter((word) => !(word in cases))
  const tables: string[] = []
  for (const [name, one] of Object.entries(cases)) {
    if (named.length > 0 && !named.includes(name)) continue
    const table = await tableOf(`${scenario} ${name}`, one, rest)
    process.stdout.write(`${table}\n`)
    tables.push(table)
  }
  const head = `# Bench: ${scenario}\n\n${machine()}; ${new Date().toISOString().slice(0, 10)}.\n`
  process.stdout.write(`${machine()}\n`)
  if (options.out) writeFileSync(options.out, [head, ...tables].join('\n'))
}

await main(positionals)
