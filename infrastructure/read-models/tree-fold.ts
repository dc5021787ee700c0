import { nodeHash, tileWidth } from '../../domain/transparency/merkle-tree.ts'
import { sha256 } from '../keys/sha256.ts'
import type { ReadModelFile } from './read-model-file.ts'
import type { GatheredWrites, Writing } from './rows.ts'

/** An event as a leaf of the tree. */
export type Leaf = {
  readonly position: number
  /** RFC 6962 leaf hash, in base64. */
  readonly leaf: string
}

/** The last tile of a level. */
type Edge = {
  readonly level: number
  readonly number: number
  readonly hashes: Uint8Array[]
  /** Log positions of the events of level 0. */
  readonly positions: number[]
}

export const hashSize = 32

const upsert: Writing = {
  sql: `INSERT INTO tiles (level, number, first, hashes, positions) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (level, number)
        DO UPDATE SET hashes = excluded.hashes, positions = excluded.positions`,
  width: 5,
}

/** The root of a complete list of hashes, whose number is a power of two. */
export const rootOfHashes = (hashes: readonly Uint8Array[]): Uint8Array => {
  let level = hashes
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, at) =>
      nodeHash(sha256, level[2 * at] as Uint8Array, level[2 * at + 1] as Uint8Array),
    )
  return level[0] as Uint8Array
}

export const hashesIn = (tile: Uint8Array): Uint8Array[] =>
  Array.from({ length: tile.length / hashSize }, (_, at) =>
    tile.subarray(at * hashSize, (at + 1) * hashSize),
  )

/** Numbers stored as an array of 64-bit floats, which represents positions exactly. */
export const numbersIn = (bytes: Uint8Array): number[] => [
  ...new Float64Array(new Uint8Array(bytes).buffer),
]

const bytesOf = (numbers: readonly number[]): Uint8Array =>
  new Uint8Array(Float64Array.from(numbers).buffer)

type EdgeRow = {
  readonly level: number
  readonly number: number
  readonly hashes: Uint8Array
  readonly positions: Uint8Array | null
}

/** Appends events to the Merkle tree of the log, which is stored as tiles (c2sp.org/tlog-tiles). */
export const foldTree = ({ sqlite }: ReadModelFile) => {
  const lastTiles = sqlite.prepare<[], EdgeRow>(
    `SELECT level, number, hashes, positions FROM tiles
     WHERE (level, number) IN (SELECT level, max(number) FROM tiles GROUP BY level)`,
  )
  let edges: Edge[] | undefined

  const load = (): Edge[] => {
    const loaded: Edge[] = []
    for (const { level, number, hashes, positions } of lastTiles.all())
      loaded[level] = {
        ...{ level, number, hashes: hashesIn(hashes) },
        positions: positions ? numbersIn(positions) : [],
      }
    return loaded
  }

  const push = (
    known: Edge[],
    changed: Set<Edge>,
    level: number,
    hash: Uint8Array,
    position?: number,
  ): void => {
    const last = known[level]
    const isFull = last?.hashes.length === tileWidth
    const edge =
      last && !isFull
        ? last
        : { level, number: last ? last.number + 1 : 0, hashes: [], positions: [] }
    known[level] = edge
    edge.hashes.push(hash)
    if (position !== undefined) edge.positions.push(position)
    changed.add(edge)
    if (edge.hashes.length === tileWidth) push(known, changed, level + 1, rootOfHashes(edge.hashes))
  }

  return {
    fold: (leaves: readonly Leaf[], writes: GatheredWrites): void => {
      edges ??= load()
      const changed = new Set<Edge>()
      for (const { position, leaf } of leaves)
        push(edges, changed, 0, Buffer.from(leaf, 'base64'), position)
      for (const { level, number, hashes, positions } of changed)
        writes
          .valuesOf(upsert)
          .push(
            ...[level, number, positions[0] ?? null, Buffer.concat(hashes)],
            level === 0 ? bytesOf(positions) : null,
          )
    },
    /** Reads the tiles again, as the file may have changed. */
    forget: (): void => {
      edges = undefined
    },
  }
}
