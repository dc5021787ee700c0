import type { Command } from 'commander'
import { installations } from '../../domain/aggregates.ts'
import { keySetLifetime } from '../../application/key-set-lifetime.ts'
import { rotateCallbackKeys } from '../callbacks/own-signer.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import { addIdTokenKey } from '../people/id-tokens.ts'
import type { Settings } from '../settings.ts'
import { rotateCheckpointKey } from '../transparency/checkpoint-keys.ts'
import { hoursInMs, hoursOf } from './time.ts'
import type { WithCore } from './with-core.ts'

type Overlap = { readonly overlap?: number }

const rotateIdTokens = async ({ people: { vault }, handle, contextOf }: Core) => {
  const data = await addIdTokenKey(vault, Date.now)
  const command = { type: 'NoteIdTokenKey', data } as const
  await handle(installations, 'daybook', command, contextOf('operator'))
  return { kid: data.kid, signs_from: new Date(data.signsFrom).toISOString() }
}

const rotateCallbacks = async (core: Core, { DATA_DIR }: Settings, { overlap = 24 }: Overlap) => {
  const signsFrom = Date.now() + hoursInMs(overlap)
  const { id, removed } = await rotateCallbackKeys(core, DATA_DIR, signsFrom, Date.now)
  return { id, signs_from: new Date(signsFrom).toISOString(), private_keys_removed: removed }
}

const rotateCheckpoints = async (
  core: Core,
  { DATA_DIR }: Settings,
  { overlap = 720 }: Overlap,
) => {
  const othersUntil = Date.now() + hoursInMs(overlap)
  const rotated = await rotateCheckpointKey(core, DATA_DIR, othersUntil, Date.now)
  const { id, file, removed } = rotated
  return {
    ...{ id, file },
    others_until: new Date(othersUntil).toISOString(),
    private_keys_removed: removed,
  }
}

/** `daybook key` (interface 14). */
export const addKeyCommands = (program: Command, settings: Settings, withCore: WithCore): void => {
  program
    .command('key')
    .description('keys of ID tokens, of callbacks and of checkpoints')
    .command('rotate [keys]')
    .description(
      `publish a new key of id-tokens (the default; it signs in ${keySetLifetime} seconds), ` +
        'callbacks or checkpoints',
    )
    .option(
      '--overlap <hours>',
      'until a new key of callbacks signs (24), or until older ones of checkpoints end (720)',
      hoursOf,
    )
    .action(
      withCore((core, keys: string | undefined, overlap: Overlap) => {
        if (keys === undefined || keys === 'id-tokens') return rotateIdTokens(core)
        if (keys === 'callbacks') return rotateCallbacks(core, settings, overlap)
        if (keys === 'checkpoints') return rotateCheckpoints(core, settings, overlap)
        return fail(`${keys} must be id-tokens, callbacks or checkpoints`)
      }),
    )
}
