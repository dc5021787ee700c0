import { OperatorError } from '../failures.ts'
import { readBankFile, type BankFile } from './bank-file.ts'

export type BankFileRequest = {
  readonly bytes: Uint8Array
  readonly name: string
  readonly ownAccount: string | undefined
  readonly funding: readonly string[]
  /** A file with more entries is not answered. */
  readonly most: number
}

/** The parsed file, why it cannot be parsed, or how many entries it has. */
export type Answer =
  { readonly file: BankFile } | { readonly problem: string } | { readonly tooMany: number }

const read = ({ bytes, name, ownAccount, funding, most }: BankFileRequest): Answer => {
  try {
    const file = readBankFile(bytes, name, ownAccount, funding)
    const length = file.entries.length + file.rejections.length
    return length > most ? { tooMany: length } : { file }
  } catch (error) {
    if (error instanceof OperatorError) return { problem: error.message }
    throw error
  }
}

export const begin = () => read
