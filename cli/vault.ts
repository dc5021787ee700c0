import { installations } from '../domain/aggregates.ts'
import { fail } from '../infrastructure/failures.ts'
import { readVaultKeys } from '../infrastructure/people/vault-wrapping.ts'
import { discardVault, moveVault } from '../infrastructure/vault-streams/move-vault.ts'
import { command, group, onData, required, value } from './command.ts'
import { showProgress } from './show-progress.ts'
import { keySetLifetime } from '../application/tokens.ts'
import { rotatedKeys, rotateKeys } from '../service/rotate-keys.ts'
import { hoursOf } from './arguments.ts'

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
    run: async (core, name = 'id-tokens', { overlap }) => {
      const keys = rotatedKeys.find((one) => one === name)
      if (!keys) return fail(`${name} must be id-tokens, callbacks or checkpoints`)
      return rotateKeys(core)(keys, core.contextOf('operator'), overlap)
    },
  }),
])

/** `daybook vault` (interface 14). */
export const vaultCommands = group('vault', 'the keys of personal data', [
  onData({
    name: 'rewrap',
    about: 'wrap the vault by the first key of VAULT_KEY_FILE or VAULT_KEY_COMMAND',
    run: async ({ handle, contextOf, vault, settings }) => {
      const [first] = readVaultKeys(settings)
      if (!first) return fail('give the key with VAULT_KEY_FILE or VAULT_KEY_COMMAND')
      const done = await vault.rewrap(first)
      if (done.before !== first.id) {
        const command = { type: 'NoteRewrap', keyId: first.id } as const
        await handle(installations, 'daybook', command, contextOf('operator'))
      }
      return done
    },
  }),
  command({
    name: 'move',
    about: 'move the vault between a file and streams; again, it goes on where it ended',
    options: {
      from: required('<place>', 'the file of the vault, or: streams'),
      to: required('<place>', 'the other one of these'),
    },
    run: async ({ settings }, places) => {
      const { tell, stop } = showProgress()
      return moveVault(places, settings, tell).finally(stop)
    },
  }),
  command({
    name: 'discard <place>',
    about: 'throw away a vault that was moved elsewhere: its file, or streams',
    run: ({ settings }, place) => discardVault(place, settings),
  }),
])
