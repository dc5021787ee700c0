import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../application/handle.ts'
import { signingKeys } from '../../domain/aggregates.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import {
  keepKey,
  makeKey,
  makeSigner,
  readKey,
  UnusableKey,
  type Signer,
} from '../../infrastructure/keys/keys.ts'
import { randomBytes } from '../../application/machine.ts'

const idOf = (...pems: readonly string[]): string =>
  createHash('sha256').update(pems.join('')).digest('hex').slice(0, 16)

/** A key pair in the data directory; the first one has no id in its file names. */
type Pair = { readonly id: string; readonly signer: Signer }

const types = ['rsa', 'ed25519'] as const
const filesOf = (dataDir: string, id: string): string[] =>
  types.map((type) => join(dataDir, `callback-${type}${id && `-${id}`}.pem`))

type Known = Pick<Core, 'find' | 'handle' | 'contextOf' | 'onFolded' | 'caughtUp'> & {
  readonly callbacks: Pick<Core['callbacks'], 'signingKeys'>
}
type Valid = Pair & { readonly validFrom: Instant }

/**
 * The pair in the files. Missing keys are made, and those of a first pair published before they are
 * kept: of two processes that begin at once, each finds keys that the log knows.
 */
const pairIn = async (
  dataDir: string,
  id: string,
  publish: (made: Signer) => Promise<unknown> = async () => {},
): Promise<Pair> => {
  const [rsaFile = '', ed25519File = ''] = filesOf(dataDir, id)
  for (;;) {
    const [rsa, ed25519] = await Promise.all([
      readKey(rsaFile, 'rsa'),
      readKey(ed25519File, 'ed25519'),
    ])
    if (rsa && ed25519) return { id, signer: makeSigner(rsa, ed25519) }
    const [madeRsa, madeEd25519] = await Promise.all([
      rsa ?? makeKey('rsa'),
      ed25519 ?? makeKey('ed25519'),
    ])
    const made = makeSigner(madeRsa, madeEd25519)
    await publish(made)
    const isFirst = rsa !== undefined || (await keepKey(rsaFile, madeRsa))
    if (isFirst && !ed25519) await keepKey(ed25519File, madeEd25519)
  }
}

/** The pairs whose files are there. */
const presentPairs = async (dataDir: string): Promise<readonly Pair[]> => {
  const pairs = idsIn(dataDir).map(async (id): Promise<Pair[]> => {
    const [rsaFile = '', ed25519File = ''] = filesOf(dataDir, id)
    const rsa = await readKey(rsaFile, 'rsa')
    const ed25519 = await readKey(ed25519File, 'ed25519')
    return rsa && ed25519 ? [{ id, signer: makeSigner(rsa, ed25519) }] : []
  })
  return (await Promise.all(pairs)).flat()
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

const registered = async ({ find }: Known, id: string) => {
  const known = await find(signingKeys, id, 'log')
  return known.status === 'present' ? known.data : undefined
}

/** The entry of a first pair in the log; the RSA key alone is its id, unless it has another one. */
const knownPair = async (core: Known, { rsaPem, ed25519Pem }: Signer) => {
  const entries = [
    await registered(core, idOf(rsaPem)),
    await registered(core, idOf(rsaPem, ed25519Pem)),
  ]
  return entries.find((entry) => entry?.rsa === rsaPem && entry.ed25519 === ed25519Pem)
}

/** Publishes a first pair. Returns when it becomes valid. */
const publishPair = async (
  core: Known,
  { rsaPem: rsa, ed25519Pem: ed25519 }: Signer,
  machineNow: () => Instant,
): Promise<Instant> => {
  const id = (await registered(core, idOf(rsa))) ? idOf(rsa, ed25519) : idOf(rsa)
  // Signatures contain the machine's time, not the sandbox clock's (interface 3).
  const validFrom = machineNow()
  const command = { type: 'Register', data: { id, rsa, ed25519, validFrom } } as const
  // Another process may be registering the same key.
  await core.handle(signingKeys, id, command, core.contextOf('daybook')).catch(ignoreRefusal)
  return validFrom
}

const replaced = (file: string): UnusableKey =>
  new UnusableKey(
    `${file} contains another key than the log knows: put the right one back from a copy, or ` +
      'remove it for a new one. `daybook key rotate callbacks` changes keys',
  )

/** The callback keys in the data directory, created if there are none. @throws UnusableKey */
export const callbackKeysIn = (
  core: Known,
  dataDir: string,
  machineNow: () => Instant,
): Promise<readonly Pair[]> => {
  const publish = (id: string) => async (made: Signer) => {
    if (id === '') return publishPair(core, made, machineNow)
    throw new UnusableKey(
      `${filesOf(dataDir, id).join(' or ')} is missing: put it back from a copy`,
    )
  }
  return Promise.all(idsIn(dataDir).map((id) => pairIn(dataDir, id, publish(id))))
}

/**
 * When a pair becomes valid; undefined for one that was made but not published. A new log takes the
 * keys that were put there. @throws UnusableKey for keys that the log does not know
 */
const validFromOf = async (
  core: Known,
  { id, signer }: Pair,
  dataDir: string,
  machineNow: () => Instant,
): Promise<Instant | undefined> => {
  const { rsaPem, ed25519Pem } = signer
  const [rsaFile = '', ed25519File = ''] = filesOf(dataDir, id)
  if (id !== '') {
    const entry = await registered(core, id)
    if (entry && entry.rsa !== rsaPem) throw replaced(rsaFile)
    if (entry && entry.ed25519 !== ed25519Pem) throw replaced(ed25519File)
    return entry?.validFrom
  }
  const entry = await knownPair(core, signer)
  if (entry) return entry.validFrom
  await core.caughtUp()
  const all = core.callbacks.signingKeys.all().map(({ data }) => data)
  if (all.length === 0) return publishPair(core, signer, machineNow)
  throw replaced(all.some(({ rsa }) => rsa === rsaPem) ? ed25519File : rsaFile)
}

/** All pairs that the log knows, by the time from which they are valid. @throws UnusableKey */
export const validPairs = async (
  core: Known,
  dataDir: string,
  machineNow: () => Instant,
  keys = presentPairs(dataDir),
): Promise<readonly Valid[]> => {
  const valid: Valid[] = []
  for (const pair of await keys) {
    const validFrom = await validFromOf(core, pair, dataDir, machineNow)
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
  keys = callbackKeysIn(core, dataDir, machineNow),
): Promise<Signer> => {
  let pairs = await validPairs(core, dataDir, machineNow, keys)
  const current = (): Signer => pairAt(pairs, machineNow()).signer
  const readAgain = async (): Promise<void> => {
    pairs = await validPairs(core, dataDir, machineNow)
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
  const keys = callbackKeysIn(core, dataDir, machineNow)
  const before = await validPairs(core, dataDir, machineNow, keys)
  const current = pairAt(before, machineNow())
  const id = randomBytes(8).toString('hex')
  // Kept before they are published: services read them when they see the event.
  const { signer } = await pairIn(dataDir, id)
  const data = { id, rsa: signer.rsaPem, ed25519: signer.ed25519Pem, validFrom }
  const command = { type: 'Register', data } as const
  await core.handle(signingKeys, id, command, context)
  const outdated = before.filter((pair) => pair.validFrom < current.validFrom)
  for (const { id } of outdated)
    for (const file of filesOf(dataDir, id)) rmSync(file, { force: true })
  return { id, removed: outdated.length }
}
