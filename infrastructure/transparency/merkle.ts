import { createHash } from 'node:crypto'

/** The hash of each leaf, by its index. */
export type Leaves = readonly Buffer[]

const emptyRoot = createHash('sha256').digest()

const nodeHash = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()

/** The largest power of two below a size of at least 2. */
const splitOf = (size: number): number => 2 ** Math.ceil(Math.log2(size) - 1)

/** The root of the leaves from one index up to another (RFC 6962, 2.1). */
export const rootOf = (leaves: Leaves, from = 0, to = leaves.length): Buffer => {
  const size = to - from
  if (size === 0) return emptyRoot
  if (size === 1) return leaves[from] as Buffer
  const middle = from + splitOf(size)
  return nodeHash(rootOf(leaves, from, middle), rootOf(leaves, middle, to))
}

/** Proves that a leaf is in the tree of the first leaves: from its sibling upwards (2.1.1). */
export const inclusionProof = (leaves: Leaves, index: number, size = leaves.length): Buffer[] => {
  const path = (from: number, to: number): Buffer[] => {
    if (to - from === 1) return []
    const middle = from + splitOf(to - from)
    return index < middle
      ? [...path(from, middle), rootOf(leaves, middle, to)]
      : [...path(middle, to), rootOf(leaves, from, middle)]
  }
  return path(0, size)
}

/** Proves that an earlier tree is the beginning of a later one (2.1.2). */
export const consistencyProof = (
  leaves: Leaves,
  earlier: number,
  size = leaves.length,
): Buffer[] => {
  const path = (from: number, to: number, isWhole: boolean): Buffer[] => {
    if (earlier === to) return isWhole ? [] : [rootOf(leaves, from, to)]
    const middle = from + splitOf(to - from)
    return earlier <= middle
      ? [...path(from, middle, isWhole), rootOf(leaves, middle, to)]
      : [...path(middle, to, false), rootOf(leaves, from, middle)]
  }
  return earlier === 0 || earlier === size ? [] : path(0, size, true)
}
