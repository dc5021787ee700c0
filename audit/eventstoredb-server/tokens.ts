import { hash } from 'node:crypto'
import type { Metadata } from '@grpc/grpc-js'
import { auditorIdPattern } from '../../application/auditors.ts'
import type { EventStore } from '../../application/event-store.ts'
import { historyOf, stateAfter } from '../../application/find-state.ts'
import { auditors } from '../../domain/aggregates.ts'
import { isEnabled } from '../../domain/register.ts'
import { streamOf } from '../../domain/stream.ts'
import { isSameText, sha256 } from '../../infrastructure/people/id-tokens.ts'

/** Auditor names by the hash of their token. */
export type Tokens = ReadonlyMap<string, string>

const namePattern = /^[\w.-]{1,64}$/

/** Characters that a connection string can contain unescaped. */
const tokenPattern = /^[\w.~-]{32,256}$/

const hashOf = (token: string): string => hash('sha256', token, 'base64')

/** A line is invalid; the message names the line and the reason. */
export class WrongTokens extends Error {
  override readonly name = 'WrongTokens'
}

/** Parses one name and token per line; an auditor may have several. @throws WrongTokens */
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

/** The credentials of a call; a bearer token needs no name. */
const credentialsIn = (metadata: Metadata) => {
  const values = metadata.get('authorization')
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(String(values[0])) ?? []
  if (values.length !== 1 || scheme === '') return undefined
  const [token = '', name] = scheme.toLowerCase() === 'basic' ? basic(value) : [value]
  return { token, name }
}

/** The auditor with this token in the log, as `<id>.<secret>`, unless disabled. */
const auditorOf = async (store: EventStore, token: string): Promise<string | undefined> => {
  const [id = '', secret = ''] = token.split('.')
  if (!auditorIdPattern.test(id)) return undefined
  const { decider } = auditors
  let state = decider.initial
  for await (const events of historyOf(store, streamOf(auditors, id)))
    state = stateAfter(decider, events, state)
  if (!isEnabled(state) || state.data.tokenHash === null) return undefined
  return isSameText(sha256(secret), state.data.tokenHash) ? id : undefined
}

/** Returns the holder of a call's token. */
export type HolderOf = (metadata: Metadata) => Promise<string | undefined>

/** Holders from a token file, and auditors from the log. */
export const holdersIn =
  (tokens: Tokens, store: EventStore): HolderOf =>
  async (metadata) => {
    const credentials = credentialsIn(metadata)
    if (!credentials) return undefined
    const holder =
      tokens.get(hashOf(credentials.token)) ?? (await auditorOf(store, credentials.token))
    return credentials.name === undefined || credentials.name === holder ? holder : undefined
  }
