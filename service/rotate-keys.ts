import type { Context } from '../application/handle.ts'
import { installations } from '../domain/aggregates.ts'
import { rotateCallbackKeys } from './callbacks/own-signer.ts'
import type { Core } from './core.ts'
import { hoursInMs } from '../domain/time.ts'
import { addIdTokenKey } from '../infrastructure/people/id-tokens.ts'
import { rotateCheckpointKey } from './transparency/checkpoint-keys.ts'
import { wallClock } from '../application/machine.ts'

export const rotatedKeys = ['id-tokens', 'callbacks', 'checkpoints'] as const

export type RotatedKeys = (typeof rotatedKeys)[number]

/** Publishes a new key (interface 14); `overlap` is in hours. */
export const rotateKeys =
  (core: Core) =>
  async (kind: RotatedKeys, context: Context, overlap?: number): Promise<object> => {
    const { DATA_DIR } = core.settings
    switch (kind) {
      case 'id-tokens': {
        const data = await addIdTokenKey(core.vault, wallClock)
        const command = { type: 'NoteIdTokenKey', data } as const
        await core.handle(installations, 'daybook', command, context)
        return { kid: data.kid, signs_from: new Date(data.signsFrom).toISOString() }
      }
      case 'callbacks': {
        const from = wallClock() + hoursInMs(overlap ?? 24)
        const rotated = await rotateCallbackKeys(core, DATA_DIR, from, wallClock, context)
        const { id, removed } = rotated
        return { id, signs_from: new Date(from).toISOString(), private_keys_removed: removed }
      }
      case 'checkpoints': {
        const until = wallClock() + hoursInMs(overlap ?? 720)
        const rotated = await rotateCheckpointKey(core, DATA_DIR, until, wallClock, context)
        const { id, file, removed } = rotated
        const others = { others_until: new Date(until).toISOString() }
        return { id, file, ...others, private_keys_removed: removed }
      }
    }
  }
