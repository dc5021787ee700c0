import {
  nodeHash,
  tileWidth,
  merkleTree,
  tileHeight,
} from '../../domain/transparency/merkle-tree.ts'
import { sha256 } from '../keys/keys.ts'
import type { ReadModelFile } from './read-model-file.ts'
import type { GatheredWrites, Writing } from './rows.ts'
import type { LogTree } from '../../application/log-tree.ts'
import { cached, generationalCache } from '../../application/generational-cache.ts'

export type Leaf = {
  readonly position: number
  /** RFC 6962 leaf hash, in base64. */
  readonly leaf: string
}

type Edge = {
  readonly level: number
  readonly number: number
  readonly hashes: Uint8Array[]
  /** Log positions of the events of level 0. */
  readonly positions: number[]
}

const hashSize = 32

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
        level,
        number,
        hashes: hashesIn(hashes),
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
    forget: (): void => {
      edges = undefined
    },
  }
}

const subtreesKept = 4_096

export const readLogTree = ({ sqlite }: ReadModelFile): LogTree => {
  const tile = sqlite
    .prepare<[number, number], Uint8Array>(
      'SELECT hashes FROM tiles WHERE level = ? AND number = ?',
    )
    .pluck()
  const last = sqlite.prepare<[], { number: number; hashes: number }>(
    `SELECT number, length(hashes) / 32 AS hashes FROM tiles
     WHERE level = 0 ORDER BY number DESC LIMIT 1`,
  )
  const holding = sqlite.prepare<[number], { number: number; positions: Uint8Array }>(
    `SELECT number, positions FROM tiles INDEXED BY tiles_by_position
     WHERE level = 0 AND first <= ? ORDER BY first DESC LIMIT 1`,
  )

  const hashesOf = (level: number, number: number): readonly Uint8Array[] =>
    hashesIn(tile.get(level, number) ?? new Uint8Array())

  const findSubtreeHash = (level: number, index: number): Uint8Array => {
    const width = 2 ** (level % tileHeight)
    const first = index * width
    const found = tile.get(Math.floor(level / tileHeight), Math.floor(first / tileWidth))
    const from = (first % tileWidth) * hashSize
    const hashes = found?.subarray(from, from + width * hashSize) ?? new Uint8Array()
    return rootOfHashes(hashesIn(hashes))
  }
  /** Complete subtrees never change, and proofs of adjacent events share them. */
  const known = generationalCache<string, Uint8Array>(subtreesKept)
  const subtreeHash = (level: number, index: number): Uint8Array =>
    cached(known, `${level}/${index}`, () => findSubtreeHash(level, index))

  return {
    ...merkleTree(sha256, subtreeHash),
    size: () => {
      const found = last.get()
      return found ? found.number * tileWidth + found.hashes : 0
    },
    hashesOf,
    indexOf: (position) => {
      const found = holding.get(position)
      const at = found ? numbersIn(found.positions).indexOf(position) : -1
      return found && at >= 0 ? found.number * tileWidth + at : undefined
    },
  }
}
