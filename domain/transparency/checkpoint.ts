import type { Hash } from './merkle-tree.ts'
import { bytesOfBase64 } from './signed-note.ts'

/** The content of a checkpoint's text (c2sp.org/tlog-checkpoint). */
type Checkpoint = {
  /** The log's name: a URL without scheme and trailing slash. */
  readonly origin: string
  readonly size: number
  readonly root: Hash
}

export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** Undefined if the text is not a checkpoint. Additional lines are ignored. */
export const parseCheckpoint = (text: string): Checkpoint | undefined => {
  const [origin = '', digits = '', encoded = ''] = text.split('\n')
  const root = bytesOfBase64(encoded)
  const isSize = /^(?:0|[1-9]\d{0,15})$/.test(digits) && Number.isSafeInteger(Number(digits))
  if (origin === '' || !isSize || root?.length !== 32) return undefined
  return { origin, size: Number(digits), root }
}
