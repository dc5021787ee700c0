import type { Position } from '../../application/event-store.ts'

/** Counts events that are not folded yet: positions tell what comes before what, but not how many lie between. */
export const makeBacklog = () => {
  const batches: { readonly end: Position; readonly size: number }[] = []
  let size = 0
  return {
    /** A batch has come that ends there. */
    add: (end: Position, events: number): void => {
      batches.push({ end, size: events })
      size += events
    },
    /** Everything up to there is folded. */
    drop: (position: Position): void => {
      while (batches[0] && batches[0].end <= position) size -= batches.shift()?.size ?? 0
    },
    /** Where the batch ends after which no more than so many are left; undefined when no more are there now. */
    endLeaving: (most: number): Position | undefined => {
      let left = size
      if (left <= most) return undefined
      return batches.find((batch) => (left -= batch.size) <= most)?.end
    },
  }
}
