import { pointsOfSale, stickers } from '../domain/aggregates.ts'
import { newPosId, posName, posTypes } from '../domain/merchant/pos.ts'
import { serialNumberPattern } from '../domain/merchant/sticker.ts'
import { within } from '../domain/stream.ts'
import { fail } from '../infrastructure/failures.ts'
import { checkName, presentMerchant } from './arguments.ts'
import { group, onData, oneOf, required } from './command.ts'
import { listOf } from './life-cycles.ts'

const addPos = onData({
  name: 'add <merchant> <id>',
  about: 'make a point of sale',
  options: {
    name: required('<name>', 'shown to payers'),
    type: oneOf('<type>', 'what it is', posTypes, 'store'),
  },
  run: async (core, merchant, id, { name, type }) => {
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
  },
})

const listPoses = listOf(
  'list the points of sale of a merchant',
  (core) => core.merchants.pointsOfSale,
  ({ data: { id, name, type } }) => ({ id, name, type }),
)

const removePos = onData({
  name: 'remove <merchant> <id>',
  about: 'remove a point of sale: it accepts no new requests, running ones continue',
  run: async (core, merchant, id) => {
    await presentMerchant(core, merchant)
    const key = within(merchant, id)
    const { status } = await core.find(pointsOfSale, key, 'log')
    if (status !== 'present') return fail(`${merchant} has no POS ${id}`)
    const context = core.contextOf('operator', merchant)
    await core.handle(pointsOfSale, key, { type: 'Remove' }, context)
    return { merchant, removed: id }
  },
})

export const posCommands = group('pos', 'points of sale of merchants', [
  addPos,
  listPoses,
  removePos,
])

export const stickerCommands = group('sticker', 'printed codes', [
  onData({
    name: 'add <serial...>',
    about: 'register serial numbers that shortlinks can claim',
    run: async (core, serials) => {
      for (const serial of serials)
        if (!serialNumberPattern.test(serial))
          fail(`${serial}: a serial number has letters, digits and -, at most 64`)
      const added = []
      for (const serial of serials) {
        const context = core.contextOf('operator')
        const { state } = await core.handle(stickers, serial, { type: 'AddSticker' }, context)
        added.push({ serial_number: serial, status: state.status })
      }
      return added
    },
  }),
])
