import type { Command } from 'commander'
import { integrators } from '../domain/aggregates.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { checkName, collect, idPattern, presentMerchant, publicKeyIn } from './arguments.ts'
import { addLifeCycle } from './life-cycles.ts'
import type { WithCore } from './with-core.ts'

type Details = {
  readonly name?: string
  readonly pubkey?: string
  readonly merchant?: readonly string[]
}

const check = async (core: Core, id: string, { name, merchant: served = [] }: Details) => {
  if (!idPattern.test(id)) fail('an integrator id has letters, digits, _ and -, at most 64')
  checkName(name)
  for (const merchant of served) await presentMerchant(core, merchant)
}

/** @throws OperatorError for an unknown integrator */
const shown = async ({ find }: Core, id: string) => {
  const entry = await find(integrators, id)
  if (entry.status !== 'present') return fail(`no integrator ${id}`)
  const { name, publicKey: pubkey, merchants } = entry.data
  return { id, name, pubkey, merchants }
}

const addIntegrator = async (
  core: Core,
  id: string,
  options: Details & { readonly name: string; readonly pubkey: string },
) => {
  await check(core, id, options)
  const { name, pubkey, merchant: served = [] } = options
  const data = { id, name, publicKey: await publicKeyIn(pubkey), merchants: [...served] }
  await core.handle(integrators, id, { type: 'Register', data }, core.contextOf('operator'))
  return shown(core, id)
}

const changeIntegrator = async (core: Core, id: string, options: Details) => {
  await check(core, id, options)
  await shown(core, id)
  const { name, pubkey, merchant: merchants } = options
  const publicKey = pubkey === undefined ? undefined : await publicKeyIn(pubkey)
  const changes = { name, publicKey, merchants }
  await core.handle(integrators, id, { type: 'Change', changes }, core.contextOf('operator'))
  return shown(core, id)
}

/** The operator's commands for integrators (interface 14). */
export const addIntegratorCommands = (program: Command, withCore: WithCore): void => {
  const integrator = program
    .command('integrator')
    .description('integrators, who act for merchants with a key of their own')
  integrator
    .command('add <id>')
    .description('make an integrator that acts for merchants with its own key')
    .requiredOption('--name <name>')
    .requiredOption('--pubkey <file>', 'RSA public key, PEM or OpenSSH')
    .option('--merchant <id>', 'a merchant that it serves, may be repeated', collect)
    .action(withCore(addIntegrator))
  integrator
    .command('change <id>')
    .description(
      'change an integrator; options left out keep their value, --merchant replaces the whole list',
    )
    .option('--name <name>')
    .option('--pubkey <file>', 'RSA public key, PEM or OpenSSH')
    .option('--merchant <id>', 'a merchant that it serves, may be repeated', collect)
    .action(withCore(changeIntegrator))
  integrator
    .command('list')
    .description('list the integrators')
    .action(
      withCore(async ({ merchants: { integrators: rows }, readModels }) => {
        await readModels.caughtUp()
        return rows.all().map(({ data: { id, name, merchants: served }, isDisabled }) => ({
          id,
          name,
          merchants: served,
          enabled: !isDisabled,
        }))
      }),
    )
  addLifeCycle(integrator, withCore, {
    one: 'integrator',
    named: '<id>',
    aggregate: integrators,
    keyOf: (id) => id,
    merchantOf: () => null,
    about: {
      disable: 'refuse the requests of an integrator until it is enabled again',
      enable: 'let a disabled integrator in again',
      remove: 'end an integrator; its id can be given to a new one',
    },
  })
}
