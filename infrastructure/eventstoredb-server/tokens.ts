import { hash } from 'node:crypto'
import type { Metadata } from '@grpc/grpc-js'

/** Names of auditors by the hash of their token. */
export type Tokens = ReadonlyMap<string, string>

const namePattern = /^[\w.-]{1,64}$/
/** What a connection string can hold as it stands. */
const tokenPattern = /^[\w.~-]{32,256}$/

const hashOf = (token: string): string => hash('sha256', token, 'base64')

/** A line is wrong; the message says which and why. */
export class WrongTokens extends Error {
  override readonly name = 'WrongTokens'
}

/** Reads a name and a token a line; an auditor may have several. @throws WrongTokens */
export const readTokens = (text: string): Tokens => {
  const tokens = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim().split(/\s+/)
    const [name = '', token = ''] = words
    if (name === '' || name.startsWith('#')) continue
    if (words.length !== 2 || !namePattern.test(name) || !tokenPattern.test(token))
      throw new WrongTokens(
        `line ${index + 1} must be a name and a token of 32 to 256 letters, digits and _ . ~ -, ` +
          'which openssl rand -hex 32 makes',
      )
    const known = tokens.get(hashOf(token))
    if (known !== undefined && known !== name)
      throw new WrongTokens(`line ${index + 1} has the token of ${known}`)
    tokens.set(hashOf(token), name)
  }
  if (tokens.size === 0) throw new WrongTokens('there is no token in it')
  return tokens
}

const basic = (encoded: string): readonly string[] => {
  const [, name = '', token = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return [token, name]
}

/** Whose token a call carries; a bearer token needs no name. */
export const holderOf = (tokens: Tokens, metadata: Metadata): string | undefined => {
  const given = metadata.get('authorization')
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(String(given[0])) ?? []
  if (given.length !== 1) return undefined
  const [token = '', name] = scheme.toLowerCase() === 'basic' ? basic(value) : [value]
  const holder = tokens.get(hashOf(token))
  return name === undefined || name === holder ? holder : undefined
}
