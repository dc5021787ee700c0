import { integrators } from '../domain/aggregates.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Core } from '../service/core.ts'
import { checkName, idPattern, presentMerchant, publicKeyIn } from './arguments.ts'
import { group, onData, required, several, value } from './command.ts'
import { lifeCycle } from './life-cycles.ts'

const check = async (
  core: Core,
  id: string,
  {
    name,
    merchant: served = [],
  }: { name?: string | undefined; merchant?: readonly string[] | undefined },
) => {
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

const [keyFile, served] = [
  'RSA public key, PEM or OpenSSH',
  'a merchant that it serves, may be repeated',
]

const addIntegrator = onData({
  name: 'add <id>',
  about: 'make an integrator that acts for merchants with its own key',
  options: {
    name: required('<name>', ''),
    pubkey: required('<file>', keyFile),
    merchant: several('<id>', served),
  },
  run: async (core, id, options) => {
    await check(core, id, options)
    const { name, pubkey, merchant: merchants = [] } = options
    const data = { id, name, publicKey: await publicKeyIn(pubkey), merchants: [...merchants] }
    await core.handle(integrators, id, { type: 'Register', data }, core.contextOf('operator'))
    return shown(core, id)
  },
})

const changeIntegrator = onData({
  name: 'change <id>',
  about:
    'change an integrator; options left out keep their value, --merchant replaces the whole list',
  options: {
    name: value('<name>', ''),
    pubkey: value('<file>', keyFile),
    merchant: several('<id>', served),
  },
  run: async (core, id, options) => {
    await check(core, id, options)
    await shown(core, id)
    const { name, pubkey, merchant: merchants } = options
    const publicKey = pubkey === undefined ? undefined : await publicKeyIn(pubkey)
    const changes = { name, publicKey, merchants }
    await core.handle(integrators, id, { type: 'Change', changes }, core.contextOf('operator'))
    return shown(core, id)
  },
})

/** The operator's commands for integrators (interface 14). */
export const integratorCommands = group(
  'integrator',
  'integrators, who act for merchants with a key of their own',
  [
    addIntegrator,
    changeIntegrator,
    onData({
      name: 'list',
      about: 'list the integrators',
      run: async ({ merchants: { integrators: rows }, readModels }) => {
        await readModels.caughtUp()
        return rows.all().map(({ data: { id, name, merchants: served }, isDisabled }) => ({
          ...{ id, name, merchants: served, enabled: !isDisabled },
        }))
      },
    }),
    ...lifeCycle({
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
    }),
  ],
)
