import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

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
