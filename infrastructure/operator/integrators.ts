import type { Command } from 'commander'
import { integrators } from '../../application/aggregates.ts'
import type { Core } from '../core.ts'
import type { WithCore } from './core.ts'
import { fail } from './error.ts'
import { publicKeyIn } from './files.ts'
import { checkName, collect, idPattern, presentMerchant } from './merchants.ts'

type IntegratorOptions = {
  readonly name?: string
  readonly pubkey?: string
  readonly merchant?: readonly string[]
}

const saveIntegrator = async (
  core: Core,
  type: 'Register' | 'Change',
  id: string,
  { name, pubkey, merchant: served }: IntegratorOptions,
) => {
  if (!idPattern.test(id)) fail('an integrator id has letters, digits, _ and -, at most 64')
  checkName(name)
  for (const merchant of served ?? []) await presentMerchant(core, merchant)
  const entry = await core.find(integrators, id)
  const known = type === 'Change' && entry.status === 'present' ? entry.data : undefined
  const publicKey = pubkey === undefined ? known?.publicKey : await publicKeyIn(pubkey)
  const data = {
    id,
    name: name ?? known?.name ?? fail(`no integrator ${id}`),
    publicKey: publicKey ?? fail(`no integrator ${id}`),
    merchants: [...(served ?? known?.merchants ?? [])],
  }
  await core.handle(integrators, id, { type, data }, core.contextOf('operator'))
  return { id, name: data.name, pubkey: data.publicKey, merchants: data.merchants }
}

/** The operator's commands for integrators (decisions 14). */
export const addIntegratorCommands = (program: Command, withCore: WithCore): void => {
  const integrator = program
    .command('integrator')
    .description('integrators, who act for merchants by a key of their own')
  integrator
    .command('add <id>')
    .requiredOption('--name <name>')
    .requiredOption('--pubkey <file>', 'RSA public key, PEM or OpenSSH')
    .option('--merchant <id>', 'a merchant that it serves, may be repeated', collect)
    .action(
      withCore((core, id: string, options: IntegratorOptions) =>
        saveIntegrator(core, 'Register', id, options),
      ),
    )
  integrator
    .command('change <id>')
    .description('what is not given stays as it is; all merchants that it serves are given anew')
    .option('--name <name>')
    .option('--pubkey <file>', 'RSA public key, PEM or OpenSSH')
    .option('--merchant <id>', 'a merchant that it serves, may be repeated', collect)
    .action(
      withCore((core, id: string, options: IntegratorOptions) =>
        saveIntegrator(core, 'Change', id, options),
      ),
    )
  integrator.command('list').action(
    withCore(async ({ integrators: rows, readModels }) => {
      await readModels.caughtUp()
      return rows.all().map(({ data: { id, name, merchants: served } }) => ({
        id,
        name,
        merchants: served,
      }))
    }),
  )
}
