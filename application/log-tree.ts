import type { Hash } from '../domain/transparency/merkle-tree.ts'

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
