import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawMutants } from './drawn-mutants.ts'
import { mutants, type Mutant } from './mutants.ts'

/*
 * npm run simulate:power -- [--seconds 40] [--only pattern] [--seed 1] [--drawn 300] [--at-once 2]
 *
 * Plants each mutant, one at a time, and plays worlds until one fails or `--seconds` of processor
 * time are over: those by hand, or with `--drawn` as many by Stryker's operators, drawn from the
 * seed. Prints which were found, by which rule, and how soon.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    drawn: { type: 'string' },
    'at-once': { type: 'string', default: '1' },
  },
})
const root = join(import.meta.dirname, '..')
const most = Number(values.seconds)

/** Of the clock, for a machine that does much else. */
const timeout = most * 20_000

type Found = { readonly rule: string; readonly seconds: number; readonly worlds: number }

/** Plays worlds in a process of its own; undefined if nothing was found. */
const found = (mutant: Mutant): Promise<Found | undefined> =>
  new Promise((resolve, reject) => {
    const imports = ['--import', './simulation/plant.mjs', '--import', 'tsx']
    const options = ['--json', '--worlds', '1000', '--requests', '200', '--seed', values.seed]
    const words = [...imports, 'simulation/run.ts', ...options]
    const env = { ...process.env, DAYBOOK_MUTANT: JSON.stringify(mutant) }
    let [worlds, last, text] = [0, undefined as Found | undefined, '']
    let isOver = false
    const child = execFile('node', words, { cwd: root, env, timeout }, (_, __, problem) => {
      if (worlds > 0 && (last || isOver)) resolve(last)
      else if (mutant.at !== undefined)
        resolve({
          rule: child.killed ? 'a world does not end' : 'it breaks',
          seconds: 0,
          worlds,
        })
      else reject(new Error(`${mutant.name}: ${problem.slice(0, 2_000)}`))
    })
    child.stdout?.on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const { rule, seconds } = JSON.parse(line) as Partial<Found>
        worlds += 1
        if (rule !== undefined) last = { rule, seconds: seconds ?? 0, worlds }
        else if ((seconds ?? 0) > most) isOver = child.kill()
      }
    })
  })

const all = values.drawn
  ? await drawMutants(root, Number(values.drawn), Number(values.seed))
  : mutants
for (const { file, from, name } of all)
  if (!readFileSync(join(root, file), 'utf8').includes(from))
    throw new Error(`nothing to replace in ${file} for: ${name}`)

const times: number[] = []
const missed: string[] = []
const wanted = all.filter(({ name }) => new RegExp(values.only).test(name))
const left = wanted.values()
const take = async (): Promise<void> => {
  for (const mutant of left) {
    const by = await found(mutant)
    if (by) times.push(by.seconds)
    else missed.push(mutant.name)
    const told = by ? `${by.seconds.toFixed(1)} s, world ${by.worlds}, ${by.rule}` : 'NOT FOUND'
    process.stdout.write(`${mutant.name}: ${told}\n`)
  }
}
await Promise.all(Array.from({ length: Number(values['at-once']) }, take))
// Of what breaks the process only that it does is known.
const known = times.filter((seconds) => seconds > 0).toSorted((one, other) => one - other)
const median = known[Math.floor(known.length / 2)] ?? 0
process.stdout.write(
  `\n${times.length} of ${wanted.length} found, median ${median.toFixed(1)} s of processor time, ` +
    `the start of the process included\n${missed.map((name) => `not found: ${name}\n`).join('')}`,
)
