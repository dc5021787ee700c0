import { fail } from '../failures.ts'
import { threadOfItsOwn } from '../thread-of-its-own.ts'
import type { Answer, Asked } from './bank-file-worker.ts'
import type { BankFile } from './bank-file.ts'

const longestMs = 30_000

/** Reads files of banks in a thread of its own, one at a time: a large one takes seconds. */
export const makeBankFileReader = () => {
  const read = threadOfItsOwn<Asked, Answer>('bank/bank-file-worker', longestMs)
  /** @throws OperatorError for a file that is none of a bank */
  return async (bytes: Uint8Array, name: string): Promise<BankFile> => {
    const answer = await read({ bytes, name })
    if (!answer) return fail(`${name} took too long to read`)
    return 'problem' in answer ? fail(answer.problem) : answer.file
  }
}
