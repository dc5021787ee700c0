import {
  signatureOf,
  parseNote,
  type PublicNoteKey,
} from '../../domain/transparency/signed-note.ts'
import type { Recorded } from '../../domain/events.ts'
import { hasSigned } from '../transparency/note-verifier.ts'
import type { Problems } from './problems.ts'

type Cosigned = Extract<Recorded, { readonly type: 'CheckpointCosigned' }>

/** Witnesses answer quickly, or are asked about a newer checkpoint. */
const checkpointsKept = 100

/** Verifies cosignatures of witnesses with known keys, since only they can produce them. */
export const auditCosignatures = (witnesses: readonly PublicNoteKey[], problems: Problems) => {
  /** By tree size. */
  const texts = new Map<number, string>()

  const problemOf = ({ data: { size, witness, line } }: Cosigned): string | undefined => {
    const keys = witnesses.filter(({ name }) => name === witness)
    if (keys.length === 0) return undefined
    const text = texts.get(size)
    if (text === undefined) return `there is no checkpoint of ${size} events before it`
    const signature = signatureOf(line.trimEnd())
    return signature && keys.some((key) => hasSigned(key, text, signature))
      ? undefined
      : `${witness} has not signed this: the log is not the one that the witness has seen`
  }

  return (event: Recorded): void => {
    if (event.type === 'CheckpointSigned') {
      texts.set(event.data.size, parseNote(event.data.note)?.text ?? '')
      const [oldest] = texts.keys()
      if (texts.size > checkpointsKept && oldest !== undefined) texts.delete(oldest)
    }
    if (event.type !== 'CheckpointCosigned') return
    const problem = problemOf(event)
    if (problem !== undefined) problems.at(event, 'tree', problem)
  }
}
