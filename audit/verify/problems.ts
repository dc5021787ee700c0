import type { Position, RecordedEvent } from '../../application/event-store.ts'

/** What an audit checks, in the order of the verdict. */
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

/** A failed check. */
export type Problem = {
  readonly check: Check
  /** The first event that shows it; null if no event does. */
  readonly position: Position | null
  readonly stream?: string
  readonly revision?: number
  readonly type?: string
  /** When it was recorded, and its actor. */
  readonly at?: string
  readonly actor?: string
  /** What is wrong with the event, or with the named document. */
  readonly problem: string
}

export type Found = {
  readonly problems: readonly Problem[]
  /** Includes problems that are not kept. */
  readonly problemCount: number
}

/** Documents derive from lines, so a wrong line makes them wrong too. */
const orderOf = ({ check, position }: Problem): number =>
  check === 'documents' ? Number.MAX_VALUE : (position ?? Number.MAX_SAFE_INTEGER)

/** Earliest event first; problems without an event later, and consequences of others last. */
export const firstOf = (problems: readonly Problem[]): readonly Problem[] =>
  [...problems].sort((a, b) => orderOf(a) - orderOf(b))

/** Maximum number of problems kept per check. */
const mostKept = 100

type Place = Pick<RecordedEvent, 'position' | 'stream' | 'revision'> & {
  readonly type?: string
  readonly metadata?: { readonly at?: unknown; readonly actor?: unknown }
}

/** Metadata of an unreadable event may have any shape. */
const causeOf = ({ metadata: { at, actor } = {} }: Place) => ({
  ...(Number.isSafeInteger(at) && { at: new Date(at as number).toISOString() }),
  ...(typeof actor === 'string' && { actor }),
})

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
    /** Reports a problem with an event. */
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

export type Progress = (stage: string, done: number, of: number) => void

/** Called between two batches. */
export type Pause = () => Promise<void> | void
