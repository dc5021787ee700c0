import { parentPort, workerData } from 'node:worker_threads'
import { OperatorError } from '../failures.ts'
import { readBankFile, type BankFile } from './bank-file.ts'

export type Asked = { readonly bytes: Uint8Array; readonly name: string }

/** The parsed file, or why it cannot be parsed. */
export type Answer = { readonly file: BankFile } | { readonly problem: string }

const read = ({ bytes, name }: Asked): Answer => {
  try {
    return { file: readBankFile(bytes, name) }
  } catch (error) {
    if (error instanceof OperatorError) return { problem: error.message }
    throw error
  }
}

/** Parses one file, then ends. */
if (parentPort) parentPort.postMessage(read(workerData as Asked))
