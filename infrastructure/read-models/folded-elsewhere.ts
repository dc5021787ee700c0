import type { Position } from '../../application/event-store.ts'
import type { StartFolding } from './folding.ts'

/**
 * The read models in a thread that does not fold. The thread that started it folds, and reports
 * each move. `hurry` requests the next one.
 */
export const foldedElsewhere = (hurry: () => void, from: Position) => {
  let onMoved = (_: Position): void => {}
  let position = from
  const folding: StartFolding = (listeners) => {
    onMoved = listeners.onMoved
    onMoved(position)
    return { hurry, stop: async () => {} }
  }
  const moved = (to: Position): void => {
    position = to
    onMoved(to)
  }
  return { folding, moved }
}
