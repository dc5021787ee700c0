import type { Hash } from '../domain/transparency/merkle-tree.ts'
import type { LogRange } from '../domain/accounting/completion.ts'
import { start, type Position } from './event-store.ts'

/** The Merkle tree over the log's entries (RFC 6962), as far as the read models are folded. */
export type LogTree = {
  /** Number of leaves. */
  readonly size: () => number
  /** For any size up to the current one. */
  readonly rootOf: (size: number) => Hash
  /** From the leaf's sibling upwards. @throws RangeError unless index < size */
  readonly inclusionProof: (index: number, size: number) => readonly Hash[]
  /** @throws RangeError unless size <= later */
  readonly consistencyProof: (size: number, later: number) => readonly Hash[]
  /** Hashes of a tile: fewer than 256 in the last one of a level, none if there is no such tile. */
  readonly hashesOf: (level: number, number: number) => readonly Hash[]
  /** The leaf number of the event at a position of the log. */
  readonly indexOf: (position: number) => number | undefined
}

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
