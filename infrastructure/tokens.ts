import { createHash, createHmac } from 'node:crypto'
import type { Tokens } from '../application/grants.ts'
import type { Vault } from './vault.ts'

export const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('base64url')

/** 256 bits for each purpose, which nobody can guess who does not have the installation's key. */
export const makeDerivation = ({ secret }: Vault) => {
  const key = secret('tokens')
  return (...parts: readonly (string | number)[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}

export const makeTokens = (derive: ReturnType<typeof makeDerivation>): Tokens => ({
  access: (grant, generation) => derive('access', grant, generation),
  refresh: (grant, generation) => derive('refresh', grant, generation),
  // It says whose code it is, so that redeeming it needs no read model.
  code: (authorization) => authorization + derive('code', authorization),
  digest: sha256,
})
