import type { Position } from '../../application/event-store.ts'
import type { StartFolding } from './folding.ts'

/**
 * The read models as a thread sees them that does not fold: whoever started it folds, and tells it
 * of each move. `hurry` asks for the next one.
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
