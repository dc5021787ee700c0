import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

export const checkpointEvents = {
  CheckpointSigned: z.object({
    /** Number of leaves. */
    size: z.int().positive(),
    /** Base64. */
    root: z.string(),
    /** The signed note as it is served (docs/auditors.md). */
    note: z.string(),
  }),
}

type CheckpointEvent = EventsOf<typeof checkpointEvents>

export type SignedCheckpoint = CheckpointEvent['data']

export type SignCheckpoint = { readonly type: 'SignCheckpoint' } & SignedCheckpoint

/** The checkpoints of a day. */
type CheckpointsOfDay = { readonly size: number }

/** A checkpoint never covers less than an earlier one. */
export const checkpoint: Decider<SignCheckpoint, CheckpointEvent, CheckpointsOfDay> = {
  initial: { size: 0 },
  decide: ({ size, root, note }, earlier) =>
    size <= earlier.size ? [] : [{ type: 'CheckpointSigned', data: { size, root, note } }],
  evolve: (_, { data: { size } }) => ({ size }),
}
