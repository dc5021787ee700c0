import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../application/handle.ts'
import { signingKeys } from '../../domain/aggregates.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import { keyInFile, makeSigner, type Signer } from '../keys.ts'

const idOf = (...pems: readonly string[]): string =>
  createHash('sha256').update(pems.join('')).digest('hex').slice(0, 16)

/** A key pair in the data directory; the first one has no id in its file names. */
type Pair = { readonly id: string; readonly signer: Signer }

const types = ['rsa', 'ed25519'] as const
const filesOf = (dataDir: string, id: string): string[] =>
  types.map((type) => join(dataDir, `callback-${type}${id && `-${id}`}.pem`))

const pairIn = async (dataDir: string, id: string): Promise<Pair> => {
  const [rsa = '', ed25519 = ''] = filesOf(dataDir, id)
  return {
    id,
    signer: makeSigner(await keyInFile(rsa, 'rsa'), await keyInFile(ed25519, 'ed25519')),
  }
}

/** Ids of the rotated pairs, and '' for the first one. */
const idsIn = (dataDir: string): readonly string[] => {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  const ids = names.flatMap((name) => {
    const [, id] = /^callback-rsa(?:-([\da-f]{16}))?\.pem$/.exec(name) ?? [undefined, null]
    return id === null ? [] : [id ?? '']
  })
  return ids.length > 0 ? ids : ['']
}

/** The callback keys in the data directory, created if there are none. */
export const callbackKeysIn = (dataDir: string): Promise<readonly Pair[]> =>
  Promise.all(idsIn(dataDir).map((id) => pairIn(dataDir, id)))

type Known = Pick<Core, 'find' | 'handle' | 'contextOf' | 'onFolded'>
type Valid = Pair & { readonly validFrom: Instant }

/**
 * Registers the public keys of a first pair if they are new. Returns when the pair becomes valid.
 */
const validFromOf = async (
  core: Known,
  { id, signer }: Pair,
  machineNow: () => Instant,
): Promise<Instant | undefined> => {
  const { rsaPem: rsa, ed25519Pem: ed25519 } = signer
  const registered = async (key: string) => {
    const known = await core.find(signingKeys, key, 'log')
    return known.status === 'present' ? known.data : undefined
  }
  if (id !== '') return (await registered(id))?.validFrom
  const before = await registered(idOf(rsa))
  // The RSA key identifies a pair. With another Ed25519 key it is a new pair.
  const key = before && before.ed25519 !== ed25519 ? idOf(rsa, ed25519) : idOf(rsa)
  const known = await registered(key)
  if (known) return known.validFrom
  // Signatures contain the machine's time, not the sandbox clock's (interface 3).
  const validFrom = machineNow()
  const data = { id: key, rsa, ed25519, validFrom }
  const command = { type: 'Register', data } as const
  // Another process may be registering the same key.
  await core.handle(signingKeys, key, command, core.contextOf('daybook')).catch(ignoreRefusal)
  return validFrom
}

const validPairs = async (
  core: Known,
  pairs: readonly Pair[],
  machineNow: () => Instant,
): Promise<readonly Valid[]> => {
  const valid: Valid[] = []
  for (const pair of pairs) {
    const validFrom = await validFromOf(core, pair, machineNow)
    if (validFrom !== undefined) valid.push({ ...pair, validFrom })
  }
  return valid.toSorted((a, b) => a.validFrom - b.validFrom)
}

const pairAt = (pairs: readonly Valid[], at: Instant): Valid => {
  const found = pairs.findLast(({ validFrom }) => validFrom <= at) ?? pairs[0]
  if (!found) throw new Error('there is no key to sign callbacks with')
  return found
}

/**
 * Signs callbacks with the currently valid pair in the data directory. Learns of new pairs from the
 * log, and registers new public keys.
 */
export const signerIn = async (
  core: Known,
  dataDir: string,
  machineNow: () => Instant,
  keys = callbackKeysIn(dataDir),
): Promise<Signer> => {
  let pairs = await validPairs(core, await keys, machineNow)
  const current = (): Signer => pairAt(pairs, machineNow()).signer
  const readAgain = async (): Promise<void> => {
    pairs = await validPairs(core, await callbackKeysIn(dataDir), machineNow)
  }
  const ofKeys = streamOf(signingKeys, '')
  core.onFolded((streams) => {
    // What cannot be read now is read at the next start; known pairs continue to sign.
    if ([...streams].some((stream) => stream.startsWith(ofKeys))) readAgain().catch(() => {})
  })
  return {
    get rsaPem() {
      return current().rsaPem
    },
    get ed25519Pem() {
      return current().ed25519Pem
    },
    get keys() {
      return current().keys
    },
  }
}

/**
 * Publishes a new pair that signs from then on, and removes the private keys of expired pairs. All
 * public keys stay published.
 */
export const rotateCallbackKeys = async (
  core: Known,
  dataDir: string,
  validFrom: Instant,
  machineNow: () => Instant,
  context: Context = core.contextOf('operator'),
) => {
  const before = await validPairs(core, await callbackKeysIn(dataDir), machineNow)
  const current = pairAt(before, machineNow())
  const id = randomBytes(8).toString('hex')
  const { signer } = await pairIn(dataDir, id)
  const data = { id, rsa: signer.rsaPem, ed25519: signer.ed25519Pem, validFrom }
  const command = { type: 'Register', data } as const
  await core.handle(signingKeys, id, command, context)
  const outdated = before.filter((pair) => pair.validFrom < current.validFrom)
  for (const { id } of outdated)
    for (const file of filesOf(dataDir, id)) rmSync(file, { force: true })
  return { id, removed: outdated.length }
}
