import type { Witness, WitnessAnswer } from '../../application/ask-witnesses.ts'
import {
  parseNote,
  signatureLine,
  signatureOf,
  type PublicNoteKey,
} from '../../domain/transparency/signed-note.ts'
import { hasSigned } from './note-verifier.ts'

const answerTimeoutMs = 10_000
const largestAnswer = 65_536

const textOf = async (answer: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > largestAnswer)
      throw new Error(`the witness answers more than ${largestAnswer} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const post = async (url: string, body: string, stopped: AbortSignal): Promise<WitnessAnswer> => {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(answerTimeoutMs)])
  const answer = await fetch(url, { method: 'POST', body, redirect: 'error', signal })
  return { status: answer.status, text: await textOf(answer) }
}

/** A witness at an address, known by its key (c2sp.org/tlog-witness). */
export const witnessAt = (url: string, key: PublicNoteKey): Witness => ({
  name: key.name,
  addCheckpoint: (body, stopped) => post(`${url}/add-checkpoint`, body, stopped),
  lineOf: (note, lines) => {
    const text = parseNote(note)?.text ?? ''
    const signatures = lines.split('\n').flatMap((line) => signatureOf(line) ?? [])
    const own = signatures.find((signature) => hasSigned(key, text, signature))
    return own && signatureLine(own)
  },
})
