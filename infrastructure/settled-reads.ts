import { AsyncLocalStorage } from 'node:async_hooks'
import type { Position } from '../application/event-store.ts'

/** A read that was settled does not ask the store: its log ends there. */
type Settled = { readonly position: Position; isOver: boolean }

/** Runs reads whose log ends where they were settled; costs nothing while there are none. */
export const makeSettledReads = () => {
  const context = new AsyncLocalStorage<Settled>()
  let running = 0
  const end = (settled: Settled): void => {
    // What the read has begun, and outlives it, asks the store again.
    settled.isOver = true
    running -= 1
    if (running === 0) context.disable()
  }
  return {
    position: (): Position | undefined => {
      const settled = context.getStore()
      return settled && !settled.isOver ? settled.position : undefined
    },
    run: <Answer>(position: Position, work: () => Answer): Answer => {
      const settled = { position, isOver: false }
      running += 1
      const answer = context.run(settled, work)
      if (answer instanceof Promise) {
        const ended = () => end(settled)
        answer.then(ended, ended)
      } else end(settled)
      return answer
    },
  }
}
