/** Tiles hold 256 hashes: level L has those of height 8·L (c2sp.org/tlog-tiles). */
export const tileWidth = 256

export const tileHeight = 8

export type Tile = {
  readonly level: number | 'entries'
  readonly index: number
  /** Number of hashes or entries; 256 if it is full. */
  readonly width: number
}

/** Groups of three digits, all but the last with the prefix `x`: 1234067 is `x001/x234/067`. */
export const pathOfIndex = (index: number): string => {
  const digits = String(index)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const groups = padded.match(/\d{3}/g) ?? []
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
}

/** The path of a tile below `tile/`. */
export const pathOfTile = ({ level, index, width }: Tile): string =>
  `${level}/${pathOfIndex(index)}${width === tileWidth ? '' : `.p/${width}`}`

export const tilePath = /^(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The tile of a path below `tile/`; undefined unless the path is canonical. */
export const tileOfPath = (path: string): Tile | undefined => {
  const [, level = '', groups = '', width] = tilePath.exec(path) ?? []
  if (level === '') return undefined
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replace(/[x/]/g, '')),
    width: width === undefined ? tileWidth : Number(width),
  }
  // Rejects leading zeros and partial tiles of full width: a tile has only one path.
  return pathOfTile(tile) === path && tile.width <= tileWidth ? tile : undefined
}

/** How many hashes the tile has in a tree of that size. */
export const widthOfTile = ({ level, index }: Omit<Tile, 'width'>, size: number): number => {
  const hashes = Math.floor(size / tileWidth ** (level === 'entries' ? 0 : level))
  return Math.max(0, Math.min(tileWidth, hashes - index * tileWidth))
}

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

/** A proof that an entry is in a log, and the checkpoint it leads to. */
export type LogProof = {
  /** From 0. */
  readonly index: number
  readonly hashes: readonly Hash[]
  /** The signed note, verbatim. */
  readonly checkpoint: string
}

export const header = 'c2sp.org/tlog-proof@v1'

/** The content of a file `*.tlog-proof` (c2sp.org/tlog-proof). */
export const formatProof = ({ index, hashes, checkpoint }: LogProof): string => {
  const lines = hashes.map((hash) => `${Buffer.from(hash).toString('base64')}\n`)
  return `${header}\nindex ${index}\n${lines.join('')}\n${checkpoint}`
}
