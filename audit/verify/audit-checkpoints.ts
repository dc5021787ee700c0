import { parseCheckpoint } from '../../domain/transparency/checkpoints.ts'
import type { Hash } from '../../domain/transparency/merkle-tree.ts'
import {
  parseNote,
  type PublicNoteKey,
  type SignedNote,
  signatureOf,
  ed25519,
  type NoteSignature,
} from '../../domain/transparency/signed-note.ts'
import type { Recorded } from '../../domain/events.ts'
import type { growingTree } from '../transparency/audit-tree.ts'
import type { Problems } from './problems.ts'
import { hasSigned, rawKeyOf } from '../transparency/ask-witnesses.ts'
import { createPrivateKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EventStore } from '../../application/event-store.ts'
import { fingerprintOf, contentDigest, makeSignatureCheck } from '../../infrastructure/keys/keys.ts'

/** The dependencies for proving who ordered an event. */
export const provingWith = (store: Pick<EventStore, 'readStream'>) => ({
  store,
  verifySignature: (pem: string, text: string, signature: string): boolean =>
    makeSignatureCheck(pem)(pem, text, signature),
  fingerprint: fingerprintOf,
  contentDigest,
})

/** The 32 bytes of an Ed25519 key. */
export type KeyBytes = Uint8Array

/** Public keys of the key files in a data directory; none in a copy without them. */
export const ownKeysIn = (directory: string): readonly KeyBytes[] =>
  (existsSync(directory) ? readdirSync(directory) : [])
    .filter((name) => /^checkpoint-ed25519.*\.pem$/.test(name))
    .flatMap((name) => {
      try {
        return [rawKeyOf(createPrivateKey(readFileSync(join(directory, name))))]
      } catch {
        return []
      }
    })

export const idOf = ({ bytes }: NoteSignature): string =>
  Buffer.from(bytes.subarray(0, 4)).toString('hex')

/**
 * The keys that may sign a log's checkpoints: those in its directory, those registered in the log,
 * and those passed in.
 */
export const knownKeys = (own: readonly KeyBytes[], others: readonly PublicNoteKey[]) => {
  const bytes = [...own, ...others.map(({ key }) => key)]
  let isSeen = others.length === 0

  const signer = (text: string, signature: NoteSignature): KeyBytes | undefined => {
    const { name } = signature
    const signing = bytes.find((key) => hasSigned({ name, kind: ed25519, key }, text, signature))
    isSeen ||= signing !== undefined && others.some((key) => hasSigned(key, text, signature))
    return signing
  }

  return {
    register: (publicKey: string): void => void bytes.push(Buffer.from(publicKey, 'base64')),
    /** Why no known key has signed the note; undefined if one has. */
    problemOf: ({ text, signatures }: SignedNote): string | undefined => {
      const [origin = ''] = text.split('\n')
      const own = signatures.filter(({ name }) => name === origin)
      if (own.some((signature) => signer(text, signature))) return undefined
      return own.length === 0
        ? `nobody has signed it as ${origin}`
        : `no key that is known here has signed it (${own.map(idOf).join(', ')}): see --key`
    },
    hasAny: (): boolean => bytes.length > 0,
    /** Whether one of the passed keys signed anything; true if none was passed. */
    isSeen: (): boolean => isSeen,
  }
}

export type KnownKeys = ReturnType<typeof knownKeys>

type Cosigned = Extract<Recorded, { readonly type: 'CheckpointCosigned' }>

/** Witnesses answer quickly, or are asked about a newer checkpoint. */
const checkpointsKept = 100

/** Verifies cosignatures of witnesses with known keys, since only they can produce them. */
const auditCosignatures = (witnesses: readonly PublicNoteKey[], problems: Problems) => {
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

type Tree = ReturnType<typeof growingTree>

type Signed = Extract<Recorded, { readonly type: 'CheckpointSigned' }>

/** A checkpoint kept outside the log. */
export type KeptCheckpoint = {
  readonly size: number
  /** Base64. */
  readonly root: string
  /** Where it was kept, such as the name of a file. */
  readonly by: string
  /** Absent in the service's own notes. */
  readonly note?: SignedNote
  /** Kept by the service beside the log; outdated after an accepted loss. */
  readonly isOwn?: true
}

type Needs = {
  readonly keys: KnownKeys
  readonly kept: readonly KeptCheckpoint[]
  /** Whether a service has appended, and perhaps signed, since the audit began. */
  readonly hasGrown: boolean
  readonly witnesses: readonly PublicNoteKey[]
  readonly problems: Problems
}

const base64 = (hash: Hash): string => Buffer.from(hash).toString('base64')

/**
 * Compares checkpoints with the log: those recorded in it, and those kept elsewhere.
 * Long because all share what was found.
 */
export const auditCheckpoints = ({ keys, kept, hasGrown, witnesses, problems }: Needs) => {
  const readCosigned = auditCosignatures(witnesses, problems)
  const sizes = new Set(kept.map(({ size }) => size))
  /** Checkpoints signed too long after their tree; checked in a second pass. */
  const later: Signed[] = []
  /** Signed with keys not yet known: a log may register its first key later. */
  const unknown: Signed[] = []
  let [count, lastSound, lossAt] = [0, 0, Infinity]
  /** After one differing event every later root differs too. */
  let hasDiffered = false

  const tell = (problem: string): void => problems.add({ check: 'tree', position: null, problem })

  const compare = (event: Signed, root: Hash): void => {
    const { data } = event
    if (data.root === base64(root)) {
      lastSound = data.size
      return
    }
    if (hasDiffered) return
    hasDiffered = true
    const among = `among events ${lastSound + 1} to ${data.size} of the log`
    problems.at(event, 'tree', `${among}, something is not as it was when this was signed`)
  }

  const compareKept = ({ size, root: expected, by, isOwn }: KeptCheckpoint, root: Hash): void => {
    if (expected === base64(root) || (isOwn && size > lossAt)) return
    tell(`the first ${size} events are not those of the checkpoint in ${by}`)
  }

  const problemOf = ({ data: { note, size, root } }: Signed, tree: Tree): string | undefined => {
    const signed = parseNote(note)
    const checkpoint = signed && parseCheckpoint(signed.text)
    if (!checkpoint) return 'its note is no signed checkpoint'
    if (checkpoint.size !== size || base64(checkpoint.root) !== root)
      return 'its note is about another tree than its data'
    return size < tree.size() ? undefined : `it covers ${size} events, of which some come later`
  }

  const signatureProblem = ({ data: { note } }: Signed): string | undefined => {
    const signed = parseNote(note)
    return signed && keys.problemOf(signed)
  }

  const readSigned = (event: Signed, tree: Tree): void => {
    count += 1
    const problem = problemOf(event, tree)
    if (problem !== undefined) return problems.at(event, 'tree', problem)
    if (signatureProblem(event) !== undefined) unknown.push(event)
    const root = tree.rootAt(event.data.size)
    if (root) compare(event, root)
    else later.push(event)
  }

  const finishSignatures = (): void => {
    for (const event of keys.hasAny() ? unknown : []) {
      const problem = signatureProblem(event)
      if (problem !== undefined) problems.at(event, 'tree', problem)
    }
    for (const { note, by } of kept) {
      const problem = note && keys.problemOf(note)
      if (problem !== undefined) tell(`the checkpoint in ${by} cannot be trusted: ${problem}`)
    }
    if (count > 0 && !keys.isSeen()) tell('the key that was given has signed nothing of this log')
  }

  const finishKept = (size: number): void => {
    for (const { size: covered, by, isOwn } of kept)
      if (covered > size && !(isOwn && (covered > lossAt || hasGrown)))
        tell(
          `the log has ${size} events, and the checkpoint in ${by} covers ${covered}: ` +
            'its end was cut off',
        )
  }

  return {
    /** Call after each leaf. */
    grown: (tree: Tree): void => {
      if (!sizes.has(tree.size())) return
      for (const one of kept) if (one.size === tree.size()) compareKept(one, tree.root())
    },
    /** Call with each event, once its leaf is in the tree. */
    read: (event: Recorded, tree: Tree): void => {
      if (event.type === 'CheckpointKeyRegistered') keys.register(event.data.publicKey)
      if (event.type === 'CheckpointSigned') readSigned(event, tree)
      readCosigned(event)
      if (event.type === 'LossAccepted') lossAt = Math.min(lossAt, event.data.end)
    },
    /** Tree sizes that a second pass must check. */
    sizesLeft: (): readonly number[] => later.map(({ data }) => data.size),
    finish: (size: number, rootOf: (size: number) => Hash | undefined): void => {
      for (const event of later) {
        const root = rootOf(event.data.size)
        if (root) compare(event, root)
      }
      finishSignatures()
      finishKept(size)
    },
    count: (): number => count,
  }
}

export type CheckpointAudit = ReturnType<typeof auditCheckpoints>
