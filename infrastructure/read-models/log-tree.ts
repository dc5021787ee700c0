import type { LogTree } from '../../application/log-tree.ts'
import { cached, generationalCache } from '../../application/generational-cache.ts'
import { merkleTree, tileHeight, tileWidth } from '../../domain/transparency/merkle-tree.ts'
import { sha256 } from '../keys/sha256.ts'
import type { ReadModelFile } from './read-model-file.ts'
import { hashesIn, hashSize, numbersIn, rootOfHashes } from './tree-fold.ts'

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
