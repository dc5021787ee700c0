import { constants, getPriority, setPriority } from 'node:os'

/**
 * How far a thread yields to those that answer requests: an increment of nice(1), added to that of
 * the thread that starts it.
 * `slightly`: receivers of callbacks must not starve. `much`: some requests wait for it.
 * `wholly`: nobody waits for it.
 */
const increments = { slightly: 5, much: 10, wholly: constants.priority.PRIORITY_LOW }

export type Yielding = keyof typeof increments

/** Lowers the priority of this thread. Other systems than Linux have one for the whole process. */
export const yieldToRequests = (how: Yielding): void => {
  if (process.platform !== 'linux') return
  setPriority(Math.min(getPriority() + increments[how], constants.priority.PRIORITY_LOW))
}
