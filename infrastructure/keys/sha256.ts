import { hash } from 'node:crypto'
import type { Sha256 } from '../../domain/transparency/merkle-tree.ts'

export const sha256: Sha256 = (...parts) =>
  hash('sha256', parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), 'buffer')
