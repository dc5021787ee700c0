import { nodeHash, type Hash } from '../../domain/transparency/merkle-tree.ts'
import { sha256 } from '../../infrastructure/keys/sha256.ts'

/** The roots of a tree's complete subtrees, smallest first. */
type Frontier = {
  readonly hash: Hash
  /** Root of 2 ** level leaves. */
  readonly level: number
  readonly rest: Frontier | undefined
}

/** Number of earlier trees kept: a checkpoint is signed soon after its last event. */
const remembered = 8_192

const rootOf = (frontier: Frontier | undefined): Hash => {
  if (!frontier) return sha256()
  let root = frontier.hash
  for (let next = frontier.rest; next; next = next.rest) root = nodeHash(sha256, next.hash, root)
  return root
}

/** A Merkle tree to which leaves are added; memory grows with the logarithm of their number. */
export const growingTree = () => {
  let frontier: Frontier | undefined
  let size = 0
  /** A ring buffer; trees share common parts. */
  const earlier: (Frontier | undefined)[] = []
  return {
    add: (leaf: Hash): void => {
      let [hash, level, rest] = [leaf, 0, frontier]
      while (rest?.level === level) {
        hash = nodeHash(sha256, rest.hash, hash)
        level += 1
        rest = rest.rest
      }
      frontier = { hash, level, rest }
      size += 1
      earlier[size % remembered] = frontier
    },
    size: (): number => size,
    root: (): Hash => rootOf(frontier),
    /** The root of the first `then` leaves; undefined if that is too long ago, or in the future. */
    rootAt: (then: number): Hash | undefined =>
      then === 0 || (then <= size && then > size - remembered)
        ? rootOf(then === 0 ? undefined : earlier[then % remembered])
        : undefined,
  }
}
