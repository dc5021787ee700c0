import { AsyncLocalStorage } from 'node:async_hooks'
import type { Position } from '../../application/event-store.ts'

/** A settled read does not query the store: for it, the log ends at this position. */
type Settled = { readonly position: Position; isOver: boolean }

/** Runs reads with a fixed end of the log; costs nothing while there are none. */
export const makeSettledReads = () => {
  const context = new AsyncLocalStorage<Settled>()
  let running = 0
  const end = (settled: Settled): void => {
    // Work that outlives the read queries the store again.
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
