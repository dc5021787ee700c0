import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { coverageText, newCoverage, unmet } from './coverage.ts'
import { pick, randomFrom } from './random.ts'
import { simulate, type Told } from './simulate.ts'
import type { Numbered } from './steps.ts'
import type { Nodes } from './world.ts'

// Much runs a few times in each world: a fourth of all processor time went to optimise it in other
// threads. Later versions of Node wait longer by themselves, and have no such flag.
if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=528384')

/** Without its fault, if it has one. */
const plain = (step: Numbered): Numbered => {
  const { fault: _, ...rest } = step as Numbered & { readonly fault?: unknown }
  return rest as Numbered
}

/**
 * The fewest steps that lead to the same finding (delta debugging): parts of the list are left out,
 * larger ones first, until none can be spared. Ends early after `longestMs` of processor time.
 */
const shrink = async (found: Told, longestMs = 60_000): Promise<Told> => {
  const began = process.cpuUsage()
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000 > longestMs
  }
  let best = found
  const tryOut = async (steps: readonly Numbered[]): Promise<boolean> => {
    const told = await simulate({ seed: found.seed, nodes: found.nodes, steps })
    if (told.failure?.rule !== found.failure?.rule) return false
    best = told
    return true
  }
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.steps.length && !isOver();) {
      const without = best.steps.toSpliced(Math.max(0, best.steps.length - at - size), size)
      if (!(await tryOut(without))) at += size
    }
    if (size === 1) break
  }
  for (const { n } of best.steps) {
    if (isOver()) break
    await tryOut(best.steps.map((step) => (step.n === n ? plain(step) : step)))
  }
  return best
}

/*
 * npm run simulate -- [--seed 42] [--minutes 10 | --worlds 20] [--requests 400] [--replay file]
 *                     [--world one-node | many-nodes] [--unmet]
 *
 * Plays worlds with one seed after the other. The first finding is shrunk and told, and kept in a
 * file that --replay plays again.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    minutes: { type: 'string' },
    worlds: { type: 'string' },
    requests: { type: 'string', default: '400' },
    replay: { type: 'string' },
    world: { type: 'string' },
    unmet: { type: 'boolean', default: false },
    keep: { type: 'string', default: '/tmp/daybook-simulation' },
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const story = ({ seed, nodes, story: lines, failure, steps }: Told): string =>
  [
    `seed ${seed}, ${nodes === 1 ? 'one node' : `${nodes} nodes`}, ${steps.length} steps:`,
    ...lines.slice(-40).map((line, at) => `${String(at + 1).padStart(4)}. ${line}`),
    failure ? `\nWRONG: ${failure.text}` : '\nnothing is wrong',
  ].join('\n')

const keepIn = (folder: string, { seed, nodes, steps, failure }: Told): string => {
  const file = join(folder, `${failure?.rule}-${seed}.json`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ seed, nodes, rule: failure?.rule, steps }, null, 1)}\n`)
  return file
}

const tellFailure = async (told: Told): Promise<void> => {
  say(`\nseed ${told.seed} failed at step ${told.steps.length}: ${told.failure?.text}`)
  const least = await shrink(told)
  say(story(least))
  say(`\nagain: npm run simulate -- --replay ${keepIn(values.keep, least)}`)
}

const replay = async (file: string): Promise<boolean> => {
  const { seed, nodes, steps } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly seed: number
    readonly nodes?: Nodes
    readonly steps: readonly Numbered[]
  }
  const told = await simulate({ seed, nodes: nodes ?? 1, steps })
  say(story(told))
  return told.failure === undefined
}

const kinds = ['one-node', 'many-nodes']

/** The nodes of a world of a kind; of no kind given, one world in ten has many. */
const nodesOf = (seed: number, given: string | undefined): Nodes => {
  const kind = given ?? kinds[randomFrom(seed, 11)() < 0.1 ? 1 : 0] ?? ''
  if (!kinds.includes(kind)) throw new Error(`--world is one of ${kinds.join(', ')}`)
  return kind === 'many-nodes' ? pick(randomFrom(seed, 10), [2, 3, 3, 4, 5]) : 1
}

const playWorlds = async (): Promise<boolean> => {
  const coverage = newCoverage()
  const endsAt = performance.now() + Number(values.minutes ?? 0) * 60_000
  const worlds = Number(values.worlds ?? 1)
  const began = processorSeconds()
  let [requests, faults, routes] = [0, 0, 0]
  let isRight = true
  for (let count = 0; count < worlds || performance.now() < endsAt; count += 1) {
    const seed = Number(values.seed) + count
    const nodes = nodesOf(seed, values.world)
    const told = await simulate({ seed, nodes, steps: Number(values.requests), coverage })
    requests += told.requests
    faults += told.faults
    routes = told.routes.length
    if (worlds <= 10)
      say(`seed ${seed}: ${told.requests} requests, ${told.faults} faults, trace ${told.trace}`)
    isRight = told.failure === undefined
    if (!isRight) await tellFailure(told)
    if (!isRight) break
  }
  const seconds = processorSeconds() - began
  const rate = Math.round(requests / seconds)
  say(`\n${requests} requests, ${faults} faults, ${rate} requests a second of one core`)
  say(coverageText(coverage, routes))
  if (values.unmet) say(JSON.stringify(unmet(coverage), null, 1))
  return isRight
}

const isRight = values.replay === undefined ? await playWorlds() : await replay(values.replay)
process.exitCode = isRight ? 0 : 1
