import { readFile } from 'node:fs/promises'
import { fail } from '../infrastructure/failures.ts'
import { readPublicKey } from '../infrastructure/keys/keys.ts'
import { reasonOf } from '../infrastructure/system-errors.ts'

export const contentOf = async (file: string): Promise<Buffer> => {
  try {
    return await readFile(file)
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    return fail(`${file} cannot be read: ${reason}`)
  }
}

export const publicKeyIn = async (file: string): Promise<string> =>
  readPublicKey((await contentOf(file)).toString('utf8')) ??
  fail(`${file} contains no RSA public key of 2048 to 4096 bits, PEM or OpenSSH`)
