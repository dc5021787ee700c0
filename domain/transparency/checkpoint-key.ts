import { z } from 'zod'
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

type RegisteredKey = {
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
