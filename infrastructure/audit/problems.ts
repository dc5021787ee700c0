import type { Position, RecordedEvent } from '../../application/event-store.ts'

/** What is looked at, in the order of a verdict. */
export const checks = [
  'log',
  'tree',
  'rules',
  'books',
  'callbacks',
  'read models',
  'documents',
] as const
export type Check = (typeof checks)[number]

/** Something that does not hold. */
export type Problem = {
  readonly check: Check
  /** The first event that shows it; null for what no event shows. */
  readonly position: Position | null
  readonly stream?: string
  readonly revision?: number
  readonly type?: string
  /** When it was recorded, and who had caused it. */
  readonly at?: string
  readonly actor?: string
  /** Says of the event, or of what else it names, what is wrong. */
  readonly problem: string
}

export type Found = {
  readonly problems: readonly Problem[]
  /** With those that are not kept. */
  readonly problemCount: number
}

/** Documents are made again from lines, and are wrong wherever these are. */
const orderOf = ({ check, position }: Problem): number =>
  check === 'documents' ? Number.MAX_VALUE : (position ?? Number.MAX_SAFE_INTEGER)

/** The first event first; what no event shows comes later, and what follows from others last. */
export const firstOf = (problems: readonly Problem[]): readonly Problem[] =>
  [...problems].sort((a, b) => orderOf(a) - orderOf(b))

/** Most problems of a check that are kept. */
const mostKept = 100

type Place = Pick<RecordedEvent, 'position' | 'stream' | 'revision'> & {
  readonly type?: string
  readonly metadata?: { readonly at?: unknown; readonly actor?: unknown }
}

/** An event that cannot be read may say anything. */
const causeOf = ({ metadata: { at, actor } = {} }: Place) => ({
  ...(Number.isSafeInteger(at) && { at: new Date(at as number).toISOString() }),
  ...(typeof actor === 'string' && { actor }),
})

/** Gathers what does not hold. */
export const gatherProblems = () => {
  const found: Problem[] = []
  const counts = new Map<Check, number>()
  const add = (problem: Problem): void => {
    const count = (counts.get(problem.check) ?? 0) + 1
    counts.set(problem.check, count)
    if (count <= mostKept) found.push(problem)
  }
  return {
    add,
    /** An event is wrong. */
    at: (event: Place, check: Check, problem: string): void => {
      const { position, stream, revision, type } = event
      const about = { ...(type !== undefined && { type }), ...causeOf(event) }
      add({ check, position, stream, revision, ...about, problem })
    },
    found: (): Found => ({
      problems: found,
      problemCount: [...counts.values()].reduce((sum, count) => sum + count, 0),
    }),
  }
}

export type Problems = ReturnType<typeof gatherProblems>

/** How far it is, for those who watch. */
export type Progress = (stage: string, done: number, of: number) => void

/** Called between two batches. */
export type Pause = () => Promise<void> | void
