import { Option, type Command } from 'commander'
import { pointsOfSale } from '../domain/aggregates.ts'
import { newPosId, posName, posTypes, type PosType } from '../domain/merchant/pos.ts'
import { within } from '../domain/stream.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { checkName, presentMerchant } from './arguments.ts'
import type { WithCore } from './with-core.ts'

type PosOptions = { readonly name: string; readonly type: PosType }

const addPos = async (core: Core, merchant: string, id: string, { name, type }: PosOptions) => {
  await presentMerchant(core, merchant)
  if (!newPosId.safeParse(id).success)
    fail('a POS id has 1 to 100 letters, digits and _ . -, and is not . or ..')
  const named = posName.safeParse(name.trim())
  if (!named.success) return fail('a name has 1 to 100 characters')
  checkName(name)
  const data = { merchant, id, name: named.data, type, location: null }
  const context = core.contextOf('operator', merchant)
  await core.handle(pointsOfSale, within(merchant, id), { type: 'Register', data }, context)
  return { merchant, id, name: named.data, type }
}

const listPoses = async (core: Core, merchant: string) => {
  await presentMerchant(core, merchant)
  await core.readModels.caughtUp()
  return core.merchants.pointsOfSale
    .all()
    .filter(({ data }) => data.merchant === merchant)
    .map(({ data: { id, name, type } }) => ({ id, name, type }))
}

const removePos = async (core: Core, merchant: string, id: string) => {
  await presentMerchant(core, merchant)
  const entry = await core.find(pointsOfSale, within(merchant, id), 'log')
  if (entry.status !== 'present') return fail(`${merchant} has no POS ${id}`)
  const context = core.contextOf('operator', merchant)
  await core.handle(pointsOfSale, within(merchant, id), { type: 'Remove' }, context)
  return { merchant, removed: id }
}

export const addPosCommands = (program: Command, withCore: WithCore): void => {
  const pos = program.command('pos').description('points of sale of merchants')
  pos
    .command('add <merchant> <id>')
    .description('make a point of sale')
    .requiredOption('--name <name>', 'shown to payers')
    .addOption(
      new Option('--type <type>', 'what it is').choices(posTypes).default('store' as PosType),
    )
    .action(withCore(addPos))
  pos
    .command('list <merchant>')
    .description('list the points of sale of a merchant')
    .action(withCore(listPoses))
  pos
    .command('remove <merchant> <id>')
    .description('remove a point of sale: it accepts no new requests, running ones continue')
    .action(withCore(removePos))
}
