import type { Hash } from './merkle-tree.ts'

/** A proof that an entry is in a log, and the checkpoint it leads to. */
export type LogProof = {
  /** From 0. */
  readonly index: number
  readonly hashes: readonly Hash[]
  /** The signed note, verbatim. */
  readonly checkpoint: string
}

const header = 'c2sp.org/tlog-proof@v1'

/** The content of a file `*.tlog-proof` (c2sp.org/tlog-proof). */
export const formatProof = ({ index, hashes, checkpoint }: LogProof): string => {
  const lines = hashes.map((hash) => `${Buffer.from(hash).toString('base64')}\n`)
  return `${header}\nindex ${index}\n${lines.join('')}\n${checkpoint}`
}
