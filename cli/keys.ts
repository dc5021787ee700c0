import type { Command } from 'commander'
import { keySetLifetime } from '../application/tokens.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { rotatedKeys, rotateKeys } from '../service/rotate-keys.ts'
import { hoursOf } from './arguments.ts'
import type { WithCore } from './with-core.ts'

type Overlap = { readonly overlap?: number }

const rotate = async (core: Core, kind: string, { overlap }: Overlap) => {
  const wanted = rotatedKeys.find((one) => one === kind)
  if (!wanted) return fail(`${kind} must be id-tokens, callbacks or checkpoints`)
  return rotateKeys(core)(wanted, core.contextOf('operator'), overlap)
}

/** `daybook key` (interface 14). */
export const addKeyCommands = (program: Command, withCore: WithCore): void => {
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
      withCore((core, keys: string | undefined, overlap: Overlap) =>
        rotate(core, keys ?? 'id-tokens', overlap),
      ),
    )
}
