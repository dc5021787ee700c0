import type { LogTree } from '../../application/log-tree.ts'
import { merkleTree } from '../../domain/transparency/merkle-tree.ts'
import { tileHeight, tileWidth } from '../../domain/transparency/tiles.ts'
import { sha256 } from '../sha256.ts'
import type { ReadModelFile } from './read-model-file.ts'
import { hashesIn, numbersIn, rootOfHashes } from './tree-fold.ts'

/** Reads the Merkle tree of the log from its tiles. */
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
    `SELECT number, positions FROM tiles
     WHERE level = 0 AND first <= ? ORDER BY first DESC LIMIT 1`,
  )

  const hashesOf = (level: number, number: number): readonly Uint8Array[] =>
    hashesIn(tile.get(level, number) ?? new Uint8Array())

  const subtreeHash = (level: number, index: number): Uint8Array => {
    const width = 2 ** (level % tileHeight)
    const first = index * width
    const hashes = hashesOf(Math.floor(level / tileHeight), Math.floor(first / tileWidth))
    const from = first % tileWidth
    return rootOfHashes(hashes.slice(from, from + width))
  }

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
