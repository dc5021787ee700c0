import { checkpoints } from '../../domain/aggregates.ts'
import { dayOf, type Instant } from '../../domain/time.ts'
import { StoreUnavailable } from '../../application/event-store.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { LogTree } from '../../application/log-tree.ts'
import { perKeyBackOff, type OutageOf } from '../../application/per-key-back-off.ts'
import type { DueWork } from '../../application/schedule.ts'
import {
  parseNote,
  signatureLine,
  signatureOf,
  type PublicNoteKey,
  ed25519,
  formatNote,
  keyIdOf,
  signedBy,
  type NoteSignature,
} from '../../domain/transparency/signed-note.ts'
import { startSpan } from '../../application/tracing.ts'
import { withDeadline } from '../../infrastructure/deadline.ts'
import { createPublicKey, sign, type KeyObject, verify } from 'node:crypto'
import { sha256 } from '../../infrastructure/keys/keys.ts'

export const hasSigned = (key: PublicNoteKey, text: string, signature: NoteSignature): boolean => {
  const isNamed = signature.name === key.name
  const isOfKey = keyIdOf(sha256, key).every((byte, at) => signature.bytes[at] === byte)
  const signed = signedBy(key.kind, text, signature)
  if (!isNamed || !isOfKey || !signed) return false
  const x = Buffer.from(key.key).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(signed.message), publicKey, signed.signature)
}

/** The last 32 bytes of the SPKI form are the key itself (RFC 8410, 4). */
export const rawKeyOf = (key: KeyObject): Uint8Array =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32)

/** Signs a note under a name with each of these Ed25519 keys (c2sp.org/signed-note). */
export const signNote = (text: string, name: string, privateKeys: readonly KeyObject[]): string => {
  const signatures = privateKeys.map((privateKey) => {
    const id = keyIdOf(sha256, { name, kind: ed25519, key: rawKeyOf(privateKey) })
    return { name, bytes: Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]) }
  })
  return formatNote({ text, signatures })
}

/** A witness's response to `add-checkpoint` (c2sp.org/tlog-witness). */
export type WitnessAnswer = { readonly status: number; readonly text: string }

/** Attests that a log shows everybody the same content. */
export type Witness = {
  readonly name: string
  readonly addCheckpoint: (body: string, stopped: AbortSignal) => Promise<WitnessAnswer>
  /** The line that this witness has signed for the note, among `lines`. */
  readonly lineOf: (note: string, lines: string) => string | undefined
}

/** A witness refused to cosign a checkpoint. */
class NotWitnessed extends Error {
  override readonly name = 'NotWitnessed'
}

type Checkpoint = { readonly size: number; readonly note: string; readonly signedAt: Instant }

type Needs = {
  readonly handle: Handle
  readonly tree: LogTree
  readonly newest: () => Checkpoint | undefined
  readonly caughtUp: () => Promise<void>
  readonly contextOf: (actor: string) => Context
  readonly outageOf: OutageOf
}

/** Another node may submit checkpoints too, and so change the size the witness expects. */
const triesOfSize = 3

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Why a witness refuses, in words. */
const refusalOf = ({ status, text }: WitnessAnswer): NotWitnessed => {
  const meaning: Readonly<Record<number, string>> = {
    403: 'it does not know the key that signs',
    404: 'it does not know this log',
    409: 'it has seen another log of the same name and size',
    422: 'it has seen a log that this one does not continue',
  }
  return new NotWitnessed(`the witness answers ${status}: ${meaning[status] ?? text.slice(0, 200)}`)
}

/** Submits the newest checkpoint to a witness and keeps its cosignature. Signing does not wait. */
export const askWitness = (needs: Needs, witness: Witness): DueWork => {
  const { tree, newest } = needs
  const { due, attempt, nextLook } = perKeyBackOff<Checkpoint>({
    keyOf: () => witness.name,
    outageOf: needs.outageOf,
  })
  /** Size of the last checkpoint the witness signed, as far as this process knows. */
  let seen = 0

  const post = ({ size, note }: Checkpoint, stopped: AbortSignal): Promise<WitnessAnswer> => {
    const proof = seen === 0 ? [] : tree.consistencyProof(seen, size)
    const lines = proof.map((hash) => `${base64(hash)}\n`)
    return witness.addCheckpoint(`old ${seen}\n${lines.join('')}\n${note}`, stopped)
  }

  const cosign = async (checkpoint: Checkpoint, stopped: AbortSignal): Promise<string> => {
    const { size, note } = checkpoint
    for (let tries = 1; ; tries += 1) {
      const answer = await post(checkpoint, stopped)
      if (answer.status === 200) {
        const line = witness.lineOf(note, answer.text)
        if (line === undefined) throw new NotWitnessed('the answer of the witness is not signed')
        seen = size
        return line
      }
      const other = Number(answer.text)
      const isOfSize = answer.status === 409 && /^\d{1,15}\n?$/.test(answer.text) && other !== seen
      if (!isOfSize || tries === triesOfSize) throw refusalOf(answer)
      if (other > size) throw new NotWitnessed(`the witness has seen ${other} events, not ${size}`)
      seen = other
    }
  }

  const ask = async (checkpoint: Checkpoint, stopped: AbortSignal): Promise<void> => {
    const line = await cosign(checkpoint, stopped).catch((error: unknown) => {
      // The request was aborted: neither a failure nor an answer.
      throw stopped.aborted ? new StoreUnavailable('stopped while a witness was asked') : error
    })
    const { size, signedAt } = checkpoint
    const command = { type: 'AddCosignature', size, witness: witness.name, line } as const
    await needs.handle(checkpoints, dayOf(signedAt), command, needs.contextOf('daybook'))
    await needs.caughtUp()
  }

  return async (now, stopped) => {
    const last = newest()
    const isOpen = last !== undefined && witness.lineOf(last.note, last.note) === undefined
    const [checkpoint] = due(now, 1, () => (isOpen ? [last] : []))
    if (checkpoint) await attempt(checkpoint, now, () => ask(checkpoint, stopped))
    return nextLook(null)
  }
}

export const answerTimeoutMs = 10_000

export const largestAnswer = 65_536

export const headers = { 'Content-Type': 'text/plain;charset=UTF-8' }

/** Loaded by the first request, because most services have no witness. */
export const load = async () => {
  const { Agent, request } = await import('../../infrastructure/undici.ts')
  return { request, dispatcher: new Agent({ maxResponseSize: largestAnswer }) }
}

export let loaded: ReturnType<typeof load> | undefined

/** Follows no redirect. */
export const post = async (
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<WitnessAnswer> => {
  const { request, dispatcher } = await (loaded ??= load())
  // No request causes it: a trace of its own.
  const attributes = { 'http.request.method': 'POST', 'url.full': url }
  const span = startSpan(undefined, () => ({ name: 'POST', kind: 'client', attributes }))
  const sent = span ? { ...headers, traceparent: span.traceparent } : headers
  try {
    const answer = await request(url, { method: 'POST', headers: sent, body, signal, dispatcher })
    span?.end({ 'http.response.status_code': answer.statusCode })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch (error) {
    span?.end({}, error instanceof Error ? error.name : 'unknown')
    throw error
  }
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
