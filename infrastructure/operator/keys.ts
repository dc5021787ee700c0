import type { Command } from 'commander'
import { installations } from '../../domain/aggregates.ts'
import { keySetLifetime } from '../../application/key-set-lifetime.ts'
import { rotateCallbackKeys } from '../callbacks/own-signer.ts'
import type { Core } from '../core.ts'
import { fail } from '../failures.ts'
import { addIdTokenKey } from '../people/id-tokens.ts'
import type { Settings } from '../settings.ts'
import { hoursInMs, hoursOf } from './time.ts'
import type { WithCore } from './with-core.ts'

type Overlap = { readonly overlap: number }

const rotateIdTokens = async ({ people: { vault }, handle, contextOf }: Core) => {
  const data = await addIdTokenKey(vault, Date.now)
  const command = { type: 'NoteIdTokenKey', data } as const
  await handle(installations, 'daybook', command, contextOf('operator'))
  return { kid: data.kid, signs_from: new Date(data.signsFrom).toISOString() }
}

const rotateCallbacks = async (core: Core, { DATA_DIR }: Settings, { overlap }: Overlap) => {
  const signsFrom = Date.now() + hoursInMs(overlap)
  const { id, removed } = await rotateCallbackKeys(core, DATA_DIR, signsFrom, Date.now)
  return { id, signs_from: new Date(signsFrom).toISOString(), private_keys_removed: removed }
}

/** `daybook key` (interface 14). */
export const addKeyCommands = (program: Command, settings: Settings, withCore: WithCore): void => {
  program
    .command('key')
    .description('keys of ID tokens and of callbacks')
    .command('rotate [keys]')
    .description(
      `publish a new key of id-tokens (the default), which signs in ${keySetLifetime} seconds, ` +
        'or of callbacks; old ones stay published',
    )
    .option('--overlap <hours>', 'until a new key of callbacks signs', hoursOf, 24)
    .action(
      withCore((core, keys: string | undefined, overlap: Overlap) => {
        if (keys === undefined || keys === 'id-tokens') return rotateIdTokens(core)
        if (keys === 'callbacks') return rotateCallbacks(core, settings, overlap)
        return fail(`${keys} must be id-tokens or callbacks`)
      }),
    )
}
