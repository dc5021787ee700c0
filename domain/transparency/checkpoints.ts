import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import type { Hash } from './merkle-tree.ts'
import { bytesOfBase64 } from './signed-note.ts'
import { register } from '../register.ts'
import type { Instant } from '../time.ts'

/** Public keys for signing checkpoints, in order; private keys stay in files. */
export const checkpointKey = register(
  'CheckpointKey',
  z.object({
    id: z.string(),
    /** Base64 of the 32 bytes of an Ed25519 key. */
    publicKey: z.string(),
    signsFrom: z.int(),
    /** Until then a checkpoint also carries the signatures of earlier keys. */
    othersUntil: z.int(),
  }),
)

export type RegisteredKey = {
  readonly id: string
  readonly publicKey: string
  readonly signsFrom: Instant
  readonly othersUntil: Instant
}

/** A key and its validity. */
export type HeldKey = {
  readonly id: string
  readonly publicKey: string
  readonly from: Instant
  /** Null if there is no successor. */
  readonly until: Instant | null
}

/** Expects the keys in the order of their registration. */
export const heldKeys = (keys: readonly RegisteredKey[]): readonly HeldKey[] =>
  keys.map(({ id, publicKey, signsFrom: from }, at) => {
    const ends = keys.slice(at + 1).map(({ othersUntil }) => othersUntil)
    return { id, publicKey, from, until: ends.length === 0 ? null : Math.min(...ends) }
  })

export const isHeld = ({ from, until }: HeldKey, at: Instant): boolean =>
  from <= at && (until === null || at < until)

/** The content of a checkpoint's text (c2sp.org/tlog-checkpoint). */
export type Checkpoint = {
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

/** The newest change of the vault: a vault without it is older than the log. */
const vaultMark = z.object({ file: z.string(), changes: z.int(), mark: z.string() })

export type VaultMark = z.output<typeof vaultMark>

export const checkpointEvents = {
  CheckpointSigned: z.object({
    /** Number of leaves. */
    size: z.int().positive(),
    /** Base64. */
    root: z.string(),
    /** The signed note as it is served (docs/auditors.md). */
    note: z.string(),
    vault: vaultMark.optional(),
    /** The version of the program that signed. */
    build: z.string().optional(),
  }),
  /** A witness has verified that the log extends what it saw before. */
  CheckpointCosigned: z.object({
    size: z.int().positive(),
    witness: z.string(),
    /** The line to serve below the note. */
    line: z.string(),
  }),
}

export type CheckpointEvent = EventsOf<typeof checkpointEvents>

type DataOf<Type> = Extract<CheckpointEvent, { type: Type }>['data']

export type SignedCheckpoint = DataOf<'CheckpointSigned'>

type Cosignature = DataOf<'CheckpointCosigned'>

export type CheckpointCommand =
  | ({ readonly type: 'SignCheckpoint' } & SignedCheckpoint)
  | ({ readonly type: 'AddCosignature' } & Cosignature)

export type CheckpointsOfDay = {
  readonly size: number
  /** Names of the witnesses of the newest checkpoint. */
  readonly witnesses: readonly string[]
}

/** A checkpoint never covers less than an earlier one. */
export const checkpoint: Decider<CheckpointCommand, CheckpointEvent, CheckpointsOfDay> = {
  initial: { size: 0, witnesses: [] },
  decide: (command, { size, witnesses }) => {
    switch (command.type) {
      case 'SignCheckpoint': {
        const { type: _, ...data } = command
        return data.size <= size ? [] : [{ type: 'CheckpointSigned', data }]
      }
      case 'AddCosignature': {
        const { type: _, ...data } = command
        const isKnown = data.size === size && witnesses.includes(data.witness)
        return isKnown ? [] : [{ type: 'CheckpointCosigned', data }]
      }
    }
  },
  evolve: (before, { type, data }) => {
    switch (type) {
      case 'CheckpointSigned':
        return { size: data.size, witnesses: [] }
      case 'CheckpointCosigned':
        return data.size === before.size
          ? { ...before, witnesses: [...before.witnesses, data.witness] }
          : before
    }
  },
}
