import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A replacement in the built program that plants a fault. */
type Change = readonly [right: string, wrong: string]

/** Faults that the checker must find. */
const plants = {
  'lease-without-fencing': [
    ['heldForMs - (elapsed() - renewedAt)', 'heldForMs'],
    ['for (const [work] of lost) active.delete(work)', 'for (const [work] of []) {}'],
    ['lease.isHeld() && !isFenced(fence, lease)', 'true'],
  ],
  'read-that-does-not-wait': [
    ['caughtUp: async () => reached(await store.head())', 'caughtUp: async () => {}'],
    ['const head = await store.head();', 'const head = observed;'],
  ],
  'append-with-new-ids': [
    ['[...events], options', 'events.map((one) => ({ ...one, id: crypto.randomUUID() })), options'],
  ],
} as const satisfies Readonly<Record<string, readonly Change[]>>

export type Plant = keyof typeof plants
export const plantNames = Object.keys(plants) as readonly Plant[]

/** Beside the program, which locates files relative to itself. */
const folderOf = (name: Plant): string => join(root, `dist-${name}`)

/**
 * A faulty copy of the built program; returns its folder.
 * @throws Error if the program no longer contains the text
 */
export const plant = (name: Plant): string => {
  removePlant(name)
  const folder = folderOf(name)
  mkdirSync(folder)
  for (const entry of readdirSync(root))
    if (!entry.startsWith('dist')) symlinkSync(join(root, entry), join(folder, entry))
  const built = join(folder, 'dist')
  cpSync(join(root, 'dist'), built, { recursive: true })
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(built, file))
  for (const [right, wrong] of plants[name]) {
    const changed = files.filter((file) => {
      const text = readFileSync(file, 'utf8')
      if (text.includes(right)) writeFileSync(file, text.replaceAll(right, wrong))
      return text.includes(right)
    })
    if (changed.length === 0) throw new Error(`the program does not say ${right}`)
  }
  return built
}

export const removePlant = (name: Plant): void =>
  rmSync(folderOf(name), { recursive: true, force: true })
