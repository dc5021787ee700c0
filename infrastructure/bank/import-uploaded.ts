import type { Context } from '../../application/handle.ts'
import { makeSerialByKey } from '../../application/serial-by-key.ts'
import type { Core } from '../core.ts'
import { fail, OperatorError } from '../failures.ts'
import { importBankFile } from './import-bank-file.ts'
import { workerPerJob } from '../worker-per-job.ts'
import type { Answer, Asked } from './bank-file-worker.ts'
import type { BankFile } from './bank-file.ts'

const longestMs = 30_000

/** Parses bank files in a worker thread, one at a time: a large one takes seconds. */
const makeBankFileReader = () => {
  const read = workerPerJob<Asked, Answer>('bank/bank-file-worker', longestMs)
  /** @throws OperatorError if it is not a bank file */
  return async (bytes: Uint8Array, name: string): Promise<BankFile> => {
    const answer = await read({ bytes, name })
    if (!answer) return fail(`${name} took too long to read`)
    return 'problem' in answer ? fail(answer.problem) : answer.file
  }
}

/** Larger files must use the command: each entry takes some milliseconds. */
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
      // If a file is sent twice at once, the second import finds the results of the first.
      const done = await inOrder('bank', () => load(file, name))
      return { kind: file.kind, passedOver: 'entries' in file ? file.passedOver : 0, done }
    } catch (error) {
      if (error instanceof OperatorError) return { problem: error.message }
      throw error
    }
  }
}
