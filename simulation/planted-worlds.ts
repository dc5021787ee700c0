import { simulate } from './simulate.ts'
import { forgetFurnished } from './node.ts'

/** Worlds to play with one of the faults that the sources have, until one fails. */
export type Order = {
  readonly id?: string
  readonly seeds: readonly number[]
  /** In seconds of processor time. */
  readonly most: number
  /** What the worlds of these seeds are without a fault. */
  readonly traces?: Readonly<Record<number, string>>
}

export type Played = {
  readonly rule: string | undefined
  readonly seconds: number
  readonly worlds: number
  readonly traces: Readonly<Record<number, string>>
  /** Whether a world was another one than without the fault. */
  readonly differs: boolean
  /** Whether the process still plays as before. */
  readonly isSound: boolean
  /** How often each fault was reached: while sources were loaded, and in each world. */
  readonly reached: Reached | undefined
}

export type Reached = {
  readonly static: Readonly<Record<string, number>>
  readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** What Stryker's instrumented code shares; it throws when a fault was active so often. */
const switches: {
  activeMutant?: string | undefined
  currentTestId?: string
  hitCount?: number
  hitLimit?: number
  mutantCoverage?: Reached
} = ((globalThis as any).__stryker__ ??= {})
const mostHits = 3_000_000

/** One of four worlds has two nodes, and is shorter, since it takes longer. */
const sizeOf = (seed: number): Pick<Parameters<typeof simulate>[0], 'nodes' | 'steps'> =>
  seed % 4 === 3 ? { nodes: 2, steps: 60 } : { nodes: 1, steps: 200 }

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** The first furnishing of a process is another one, since it loads what commands need. */
let furnishedWith: string | undefined | null = null
const warmUp = 0

const play = (seed: number, id: string | undefined) => {
  Object.assign(switches, { currentTestId: String(seed), hitCount: 0, hitLimit: mostHits })
  if (furnishedWith !== id) forgetFurnished()
  furnishedWith = id
  switches.activeMutant = id
  return simulate({ seed, ...sizeOf(seed) })
}

const obey = async ({ id, seeds, most, traces: right }: Order): Promise<Played> => {
  if (furnishedWith === null) {
    switches.currentTestId = 'warm-up'
    await simulate({ seed: warmUp, steps: 1 })
  }
  const began = processorSeconds()
  const traces: Record<number, string> = {}
  let [rule, worlds, seconds, isSound] = [undefined as string | undefined, 0, 0, true]
  for (const seed of seeds) {
    const { failure, trace } = await play(seed, id)
    worlds += 1
    traces[seed] = trace
    rule = failure?.rule
    seconds = processorSeconds() - began
    if (rule !== undefined && right) isSound = (await play(seed, undefined)).trace === right[seed]
    if (rule !== undefined || seconds > most) break
  }
  const differs = right !== undefined && Object.entries(traces).some(([s, t]) => right[+s] !== t)
  const reached = id === undefined ? switches.mutantCoverage : undefined
  return { rule, seconds, worlds, traces, differs, isSound, reached }
}

process.on('disconnect', () => process.exit())
const answer = async (order: Order): Promise<void> => void process.send?.(await obey(order))

process.on('message', (order: Order) => {
  answer(order).catch(() => process.exit(1))
})
