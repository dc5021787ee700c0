import type { Context } from '../../application/handle.ts'
import { makeSerialByKey } from '../../application/serial-by-key.ts'
import type { Core } from '../core.ts'
import { OperatorError } from '../failures.ts'
import { makeBankFileReader } from './bank-file-client.ts'
import { importBankFile } from './import-bank-file.ts'

/** More entries than this are for the command: each takes some milliseconds. */
const mostEntries = 1_000

/** Imports a file as `daybook bank import` does. */
export const importUploaded = (core: Core) => {
  const read = makeBankFileReader()
  const inOrder = makeSerialByKey()
  return async (
    bytes: Uint8Array,
    name: string,
    contextOf: (merchant: string | null) => Context,
  ) => {
    try {
      const file = await read(bytes, name)
      const { length } = 'entries' in file ? file.entries : file.rejections
      if (length > mostEntries) return { tooMany: length, most: mostEntries }
      const load = importBankFile(core, core.settings, contextOf)
      // Of a file that is sent twice at once, the second finds what the first has done.
      const done = await inOrder('bank', () => load(file, name))
      return { kind: file.kind, passedOver: 'entries' in file ? file.passedOver : 0, done }
    } catch (error) {
      if (error instanceof OperatorError) return { problem: error.message }
      throw error
    }
  }
}
