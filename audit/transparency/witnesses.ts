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

const headers = { 'Content-Type': 'text/plain;charset=UTF-8' }

/** Loaded by the first request, because most services have no witness. */
const load = async () => {
  const { Agent, request } = await import('../../infrastructure/undici.ts')
  return { request, dispatcher: new Agent({ maxResponseSize: largestAnswer }) }
}
let loaded: ReturnType<typeof load> | undefined

/** Follows no redirect. */
const post = async (url: string, body: string, signal: AbortSignal): Promise<WitnessAnswer> => {
  const { request, dispatcher } = await (loaded ??= load())
  const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher })
  return { status: answer.statusCode, text: await answer.body.text() }
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
