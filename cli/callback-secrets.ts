import type { Command } from 'commander'
import { callbackSecrets } from '../domain/aggregates.ts'
import { secretsOfMerchants } from '../infrastructure/callbacks/merchant-secrets.ts'
import type { Core } from '../service/core.ts'
import { presentMerchant } from './arguments.ts'
import type { WithCore } from './with-core.ts'

const callbackSecret = async (
  core: Core,
  id: string,
  { rotate }: { readonly rotate?: true },
): Promise<object> => {
  await presentMerchant(core, id)
  const { handle, find, people, contextOf, now } = core
  const command = { type: 'RotateCallbackSecret', at: now() } as const
  if (rotate) await handle(callbackSecrets, id, command, contextOf('operator', id))
  const [current, ...earlier] = await secretsOfMerchants({ find, derive: people.derive })(id, now())
  return {
    merchant: id,
    secret: current?.secret,
    earlier: earlier.map(({ secret, validUntil }) => ({
      secret,
      valid_until: new Date(validUntil ?? 0).toISOString(),
    })),
  }
}

export const addCallbackSecretCommand = (merchant: Command, withCore: WithCore): void => {
  merchant
    .command('callback-secret <id>')
    .description('print the secret that signs the callbacks of a merchant')
    .option('--rotate', 'replace it; messages are signed with the earlier one too for 24 hours')
    .action(withCore(callbackSecret))
}
