import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mutants, type Mutant } from './mutants.ts'

/*
 * npm run simulate:power -- [--seconds 40] [--only pattern] [--seed 1]
 *
 * Plants each mutant, one at a time, and plays worlds until one fails or `--seconds` of processor
 * time are over. Prints which were found, by which rule, and how soon.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
  },
})
const root = join(import.meta.dirname, '..')
const most = Number(values.seconds)

type Found = { readonly rule: string; readonly seconds: number; readonly worlds: number }

/** Plays worlds in a process of its own; undefined if nothing was found. */
const found = (mutant: Mutant): Promise<Found | undefined> =>
  new Promise((resolve, reject) => {
    const imports = ['--import', './simulation/plant.mjs', '--import', 'tsx']
    const options = ['--json', '--worlds', '1000', '--requests', '200', '--seed', values.seed]
    const words = [...imports, 'simulation/run.ts', ...options]
    const env = { ...process.env, DAYBOOK_MUTANT: JSON.stringify(mutant) }
    let [worlds, last, text] = [0, undefined as Found | undefined, '']
    const child = execFile('node', words, { cwd: root, env }, (_, __, problem) => {
      if (worlds === 0) reject(new Error(`${mutant.name}: ${problem.slice(0, 2_000)}`))
      else resolve(last)
    })
    child.stdout?.on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const { rule, seconds } = JSON.parse(line) as Partial<Found>
        worlds += 1
        if (rule !== undefined) last = { rule, seconds: seconds ?? 0, worlds }
        else if ((seconds ?? 0) > most) child.kill()
      }
    })
  })

for (const { file, from, name } of mutants)
  if (!readFileSync(join(root, file), 'utf8').includes(from))
    throw new Error(`nothing to replace in ${file} for: ${name}`)

const times: number[] = []
const wanted = mutants.filter(({ name }) => new RegExp(values.only).test(name))
for (const mutant of wanted) {
  const by = await found(mutant)
  if (by) times.push(by.seconds)
  const told = by ? `${by.seconds.toFixed(1)} s, world ${by.worlds}, ${by.rule}` : 'NOT FOUND'
  process.stdout.write(`${mutant.name}: ${told}\n`)
}
const median = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
process.stdout.write(
  `\n${times.length} of ${wanted.length} found, median ${median.toFixed(1)} s of processor time, ` +
    'the start of the process included\n',
)
