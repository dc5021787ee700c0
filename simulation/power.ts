import { fork, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawMutants } from './drawn-mutants.ts'
import { mutants, type Mutant } from './mutants.ts'
import type { Order, Played } from './planted-worlds.ts'

/*
 * npm run simulate:power -- [--seconds 40] [--only pattern] [--seed 1] [--drawn 300] [--at-once 2]
 *                           [--worlds 12]
 *
 * Plants each mutant, one at a time, and plays worlds until one fails or `--seconds` of processor
 * time are over: those by hand, or with `--drawn` as many by Stryker's operators, drawn from the
 * seed, in those of `--worlds` that reach it. Prints which were found, by which rule, and how soon;
 * of the others, whether no world reaches them, nothing that is seen differs, or no rule looks.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    drawn: { type: 'string' },
    worlds: { type: 'string', default: '12' },
    'at-once': { type: 'string', default: '1' },
  },
})
const root = join(import.meta.dirname, '..')
const most = Number(values.seconds)
const firstSeed = Number(values.seed)
const seeds = Array.from({ length: Number(values.worlds) }, (_, at) => firstSeed + at)

/** Of the clock, for a machine that does much else. */
const longestMs = most * 60_000

type Source = { readonly name: string; readonly content: string }

const planted: string[] = []
/** A folder with sources that take the place of others. */
const plant = (sources: readonly Source[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-planted-'))
  planted.push(folder)
  for (const { name, content } of sources) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const begin = (folder: string, active: Record<string, string> = {}): ChildProcess =>
  fork('simulation/planted-worlds.ts', {
    cwd: root,
    execArgv: ['--import', './simulation/plant.mjs', '--import', 'tsx'],
    env: { ...process.env, ...active, DAYBOOK_PLANTED: folder },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

/** The word for what a process does that does not answer. */
const ask = (child: ChildProcess, order: Order, longest = longestMs): Promise<Played | string> =>
  new Promise((resolve) => {
    const end = (told: Played | string): void => {
      clearTimeout(late)
      child.removeAllListeners()
      resolve(told)
    }
    const late = setTimeout(() => end('a world does not end'), longest)
    child.on('message', (played: Played) => end(played))
    child.on('exit', () => end('it breaks'))
    child.send(order)
  })

type Verdict = { readonly told: string; readonly seconds?: number }

const verdictOf = (played: Played | string): Verdict => {
  if (typeof played === 'string') return { told: played, seconds: 0 }
  const { rule, seconds, worlds, differs } = played
  if (rule) return { told: `${seconds.toFixed(1)} s, world ${worlds}, ${rule}`, seconds }
  return { told: `NOT FOUND${differs ? ', though what is seen differs' : ''} in ${worlds} worlds` }
}

/** In a process of its own. */
const alone = async (folder: string, order: Order, active?: Record<string, string>) => {
  const child = begin(folder, active)
  const verdict = verdictOf(await ask(child, order))
  child.kill('SIGKILL')
  return verdict
}

/** One of those at once; it keeps a process that plays with one fault after the other. */
type Judge = { process?: ChildProcess | undefined }
type Planted = { readonly name: string; readonly verdict: (by: Judge) => Promise<Verdict> }

const byHand = ({ name, file, from, to }: Mutant): Planted => {
  const source = readFileSync(join(root, file), 'utf8')
  if (!source.includes(from)) throw new Error(`nothing to replace in ${file} for: ${name}`)
  const content = source.replace(from, () => to)
  return { name, verdict: () => alone(plant([{ name: file, content }]), { seeds, most }) }
}

/** In the first world of a process it is not known what it reaches, and what furnishing does. */
const furnishing = 1_000_000

const drawn = async (count: number): Promise<readonly Planted[]> => {
  const { mutants: all, sources } = await drawMutants(root, count, firstSeed)
  const folder = plant(sources)
  const first = begin(folder)
  const base = await ask(first, { seeds: [furnishing, ...seeds], most: 1e9 }, 2 ** 31 - 1)
  first.kill('SIGKILL')
  if (typeof base === 'string' || base.rule !== undefined)
    throw new Error(`without a fault: ${typeof base === 'string' ? base : base.rule}`)
  const { traces, reached } = base
  const reaches = (seed: number, id: string) => reached?.perTest[seed]?.[id] !== undefined
  const isReached = ({ id }: { readonly id: string }): boolean =>
    reached?.static[id] !== undefined || [furnishing, ...seeds].some((seed) => reaches(seed, id))
  process.stdout.write(`${all.filter(isReached).length} of ${all.length} are reached\n`)
  return all.map(({ name, id }) => {
    const own = seeds.filter((seed) => reaches(seed, id))
    const those = own.length === 0 && reaches(furnishing, id) ? seeds.slice(0, 1) : own
    const verdict = async (by: Judge): Promise<Verdict> => {
      if (reached?.static[id] !== undefined)
        return alone(folder, { id, seeds, most, traces }, { __STRYKER_ACTIVE_MUTANT__: id })
      if (those.length === 0) return { told: 'NOT FOUND, no world reaches it' }
      by.process ??= begin(folder)
      const played = await ask(by.process, { id, seeds: those, most, traces })
      if (typeof played === 'string' || !played.isSound) {
        by.process.kill('SIGKILL')
        by.process = undefined
      }
      return verdictOf(played)
    }
    return { name, verdict }
  })
}

const all = values.drawn ? await drawn(Number(values.drawn)) : mutants.map(byHand)
const wanted = all.filter(({ name }) => new RegExp(values.only).test(name))
const times: number[] = []
const missed: string[] = []
const left = wanted.values()
const take = async (): Promise<void> => {
  const judge: Judge = {}
  for (const { name, verdict } of left) {
    const { told, seconds } = await verdict(judge)
    if (seconds === undefined) missed.push(`${name}: ${told}`)
    else times.push(seconds)
    process.stdout.write(`${name}: ${told}\n`)
  }
  judge.process?.kill('SIGKILL')
}
await Promise.all(Array.from({ length: Number(values['at-once']) }, take))
for (const folder of planted) rmSync(folder, { recursive: true })
// Of what breaks the process only that it does is known.
const known = times.filter((seconds) => seconds > 0).toSorted((one, other) => one - other)
const median = known[Math.floor(known.length / 2)] ?? 0
process.stdout.write(
  `\n${times.length} of ${wanted.length} found, median ${median.toFixed(1)} s of processor time, ` +
    `the start not included\n${missed.map((told) => `not found: ${told}\n`).join('')}`,
)
