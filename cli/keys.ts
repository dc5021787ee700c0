import { keySetLifetime } from '../application/tokens.ts'
import { fail } from '../infrastructure/failures.ts'
import { rotatedKeys, rotateKeys } from '../service/rotate-keys.ts'
import { hoursOf } from './arguments.ts'
import { group, onData, value } from './command.ts'

/** `daybook key` (interface 14). */
export const keyCommands = group('key', 'keys of ID tokens, of callbacks and of checkpoints', [
  onData({
    name: 'rotate [keys]',
    about:
      `publish a new key of id-tokens (the default; it signs in ${keySetLifetime} seconds), ` +
      'callbacks or checkpoints',
    options: {
      overlap: value(
        '<hours>',
        'until a new key of callbacks signs (24), or until older ones of checkpoints end (720)',
        hoursOf,
      ),
    },
    run: async (core, given = 'id-tokens', { overlap }) => {
      const keys = rotatedKeys.find((one) => one === given)
      if (!keys) return fail(`${given} must be id-tokens, callbacks or checkpoints`)
      return rotateKeys(core)(keys, core.contextOf('operator'), overlap)
    },
  }),
])
