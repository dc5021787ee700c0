import { refuse } from '../../domain/refusal.ts'

export type Bounds = {
  /** How many pieces of work run at once. */
  readonly atOnce: number
  /** How many may wait in one line, and how many in all. */
  readonly mostOfOne: number
  readonly mostWaiting: number
}

/**
 * Lets few pieces of slow work run at once. The others wait in a line of each `whose`, and the lines take turns: whoever
 * asks for much makes only themselves wait. @throws Refusal too_much_is_waiting
 */
export const makeGate = ({ atOnce, mostOfOne, mostWaiting }: Bounds) => {
  let running = 0
  let waitingInAll = 0
  /** The lines; first the one whose turn is next. */
  const waiting = new Map<string, (() => void)[]>()

  const comeIn = (whose: string): Promise<void> => {
    const others = waiting.get(whose) ?? []
    if (others.length >= mostOfOne || waitingInAll >= mostWaiting)
      return refuse('too_much_is_waiting')
    waitingInAll += 1
    waiting.set(whose, others)
    return new Promise((resolve) => others.push(resolve))
  }

  const leave = (): void => {
    const [first] = waiting
    if (!first) {
      running -= 1
      return
    }
    const [whose, theirs] = first
    const next = theirs.shift()
    waitingInAll -= 1
    waiting.delete(whose)
    if (theirs.length > 0) waiting.set(whose, theirs)
    next?.()
  }

  return async <Result>(work: () => Promise<Result>, whose = ''): Promise<Result> => {
    if (running === atOnce) await comeIn(whose)
    else running += 1
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
