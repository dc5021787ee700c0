import type { Hash } from './merkle-tree.ts'
import { bytesOfBase64 } from './signed-note.ts'

/** A proof that an entry stands in a log, with the checkpoint that it leads to. */
type LogProof = {
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

/** Undefined when it is no such file. */
export const parseProof = (text: string): LogProof | undefined => {
  const end = text.indexOf('\n\n')
  const [first, ...rest] = text.slice(0, end).split('\n')
  if (end < 0 || first !== header) return undefined
  const lines = rest[0]?.startsWith('extra ') ? rest.slice(1) : rest
  const [, digits] = /^index (0|[1-9]\d{0,15})$/.exec(lines[0] ?? '') ?? []
  const hashes = lines.slice(1).map(bytesOfBase64)
  if (digits === undefined || hashes.some((hash) => hash?.length !== 32)) return undefined
  return {
    index: Number(digits),
    hashes: hashes as readonly Hash[],
    checkpoint: text.slice(end + 2),
  }
}
