import type { Command } from 'commander'
import { stickers } from '../domain/aggregates.ts'
import { serialNumberPattern } from '../domain/merchant/sticker.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import type { WithCore } from './with-core.ts'

const addStickers = async (core: Core, serials: readonly string[]) => {
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
}

export const addStickerCommands = (program: Command, withCore: WithCore): void => {
  program
    .command('sticker')
    .description('printed codes')
    .command('add <serial...>')
    .description('register serial numbers that shortlinks can claim')
    .action(withCore(addStickers))
}
