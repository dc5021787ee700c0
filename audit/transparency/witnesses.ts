import type { Witness, WitnessAnswer } from './ask-witnesses.ts'
import {
  parseNote,
  signatureLine,
  signatureOf,
  type PublicNoteKey,
} from '../../domain/transparency/signed-note.ts'
import { withDeadline } from '../../infrastructure/deadline.ts'
import { hasSigned } from './note-verifier.ts'

const answerTimeoutMs = 10_000
const largestAnswer = 65_536

/**
 * Reads the whole body. Node may ignore the signal of a fetch after the head has arrived, so this
 * aborts it.
 */
const textOf = async ({ body }: Response, signal: AbortSignal): Promise<string> => {
  const reader = body?.getReader()
  const end = (): void => void reader?.cancel().catch(() => {})
  signal.addEventListener('abort', end, { once: true })
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { value } = (await reader?.read()) ?? {}
    signal.throwIfAborted()
    if (value === undefined) return Buffer.concat(chunks).toString('utf8')
    size += value.length
    if (size > largestAnswer) {
      end()
      throw new Error(`the witness answers more than ${largestAnswer} bytes`)
    }
    chunks.push(value)
  }
}

const post = async (url: string, body: string, signal: AbortSignal): Promise<WitnessAnswer> => {
  const answer = await fetch(url, { method: 'POST', body, redirect: 'error', signal })
  return { status: answer.status, text: await textOf(answer, signal) }
}

/** A witness at an address, identified by its key (c2sp.org/tlog-witness). */
export const witnessAt = (
  url: string,
  key: PublicNoteKey,
  timeoutMs = answerTimeoutMs,
): Witness => ({
  name: key.name,
  addCheckpoint: (body, stopped) =>
    withDeadline(timeoutMs, stopped, (signal) => post(`${url}/add-checkpoint`, body, signal)),
  lineOf: (note, lines) => {
    const text = parseNote(note)?.text ?? ''
    const signatures = lines.split('\n').flatMap((line) => signatureOf(line) ?? [])
    const own = signatures.find((signature) => hasSigned(key, text, signature))
    return own && signatureLine(own)
  },
})
