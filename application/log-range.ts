import type { LogRange } from '../domain/accounting/completion.ts'
import { start, type Position } from './event-store.ts'
import type { LogTree } from './log-tree.ts'

/** Positions of the events that begin and end a report or settlement. */
export type Cuts = { readonly after: Position; readonly before: Position }

/**
 * The range of the log between two cuts. It starts with the event that ended the previous one, so
 * that there are no gaps.
 */
export const logRangeOf = (
  tree: Pick<LogTree, 'indexOf' | 'rootOf'>,
  { after, before }: Cuts,
): LogRange | undefined => {
  const from = after === start ? 0 : tree.indexOf(after)
  const to = tree.indexOf(before)
  if (from === undefined || to === undefined) return undefined
  return { from, to, root: Buffer.from(tree.rootOf(to)).toString('base64') }
}
