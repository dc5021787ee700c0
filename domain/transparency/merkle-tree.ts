/** Hashes of 32 bytes. */
export type Hash = Uint8Array

/** SHA-256 of the concatenated parts. */
export type Sha256 = (...parts: readonly Uint8Array[]) => Hash

/** The root of a complete subtree of `2 ** level` leaves; `index` counts subtrees of that level. */
type SubtreeHash = (level: number, index: number) => Hash

const nodePrefix = Uint8Array.of(1)

/** RFC 6962, 2.1. */
export const nodeHash = (sha256: Sha256, left: Hash, right: Hash): Hash =>
  sha256(nodePrefix, left, right)

/** Where a tree of `count` > 1 leaves splits: the largest power of two below the count. */
const splitOf = (count: number): number => {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

/** The level of a complete subtree of `count` leaves; undefined if the count is no power of two. */
const levelOf = (count: number): number | undefined => {
  const level = Math.round(Math.log2(count))
  return 2 ** level === count ? level : undefined
}

/** Hashes and proofs (RFC 6962, 2.1.1 and 2.1.2) of a tree whose complete subtrees are known. */
export const merkleTree = (sha256: Sha256, subtreeHash: SubtreeHash) => {
  const hashOf = (from: number, to: number): Hash => {
    const level = levelOf(to - from)
    if (level !== undefined) return subtreeHash(level, from / 2 ** level)
    const split = from + splitOf(to - from)
    return nodeHash(sha256, hashOf(from, split), hashOf(split, to))
  }

  const inclusion = (index: number, from: number, to: number): Hash[] => {
    if (to - from === 1) return []
    const split = from + splitOf(to - from)
    return index < split
      ? [...inclusion(index, from, split), hashOf(split, to)]
      : [...inclusion(index, split, to), hashOf(from, split)]
  }

  const consistency = (size: number, from: number, to: number, isKnown: boolean): Hash[] => {
    if (size === to) return isKnown ? [] : [hashOf(from, to)]
    const split = from + splitOf(to - from)
    return size <= split
      ? [...consistency(size, from, split, isKnown), hashOf(split, to)]
      : [...consistency(size, split, to, false), hashOf(from, split)]
  }

  return {
    rootOf: (size: number): Hash => (size === 0 ? sha256() : hashOf(0, size)),
    /** @throws RangeError unless index < size */
    inclusionProof: (index: number, size: number): readonly Hash[] => {
      if (!(index >= 0 && index < size)) throw new RangeError(`no leaf ${index} of ${size}`)
      return inclusion(index, 0, size)
    },
    /** Proof that the tree of `later` leaves extends that of `size`. @throws RangeError */
    consistencyProof: (size: number, later: number): readonly Hash[] => {
      if (!(size >= 0 && size <= later)) throw new RangeError(`no ${size} leaves of ${later}`)
      return size === 0 || size === later ? [] : consistency(size, 0, later, true)
    },
  }
}
