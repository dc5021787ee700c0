import { simulate, type Told } from './simulate.ts'
import type { Numbered } from './steps.ts'

/** Without its fault, if it has one. */
const plain = (step: Numbered): Numbered => {
  const { fault: _, ...rest } = step as Numbered & { readonly fault?: unknown }
  return rest as Numbered
}

/**
 * The fewest steps that lead to the same finding (delta debugging): parts of the list are left out,
 * larger ones first, until none can be spared. Ends early after `longestMs` of processor time.
 */
export const shrink = async (found: Told, longestMs = 60_000): Promise<Told> => {
  const began = process.cpuUsage()
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000 > longestMs
  }
  let best = found
  const tryOut = async (steps: readonly Numbered[]): Promise<boolean> => {
    const told = await simulate({ seed: found.seed, steps })
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
