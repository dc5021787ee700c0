import { createHash, type KeyObject } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../application/handle.ts'
import { checkpointKeys } from '../../domain/aggregates.ts'
import { ignoreRefusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { heldKeys, isHeld, type HeldKey } from '../../domain/transparency/checkpoints.ts'
import type { Core } from '../core.ts'
import { keyInFile, UnusableKey } from '../../infrastructure/keys/keys.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { rawKeyOf } from '../../audit/transparency/ask-witnesses.ts'
import { randomBytes } from '../../application/machine.ts'

type Known = Pick<Core, 'find' | 'handle' | 'contextOf' | 'caughtUp'> & {
  readonly transparency: Pick<Core['transparency'], 'keys'>
}

type PrivateKey = { readonly file: string; readonly key: KeyObject; readonly id: string }

const firstFile = 'checkpoint-ed25519.pem'

const isKeyFile = (name: string): boolean => /^checkpoint-ed25519(?:-[\da-f]{16})?\.pem$/.test(name)

const idOf = (key: KeyObject): string =>
  createHash('sha256').update(rawKeyOf(key)).digest('hex').slice(0, 16)

const privateKeyIn = async (dataDir: string, file: string): Promise<PrivateKey> => {
  const key = await keyInFile(join(dataDir, file), 'ed25519')
  return { file, key, id: idOf(key) }
}

const privateKeysIn = (dataDir: string): Promise<readonly PrivateKey[]> => {
  const files = readdirSync(dataDir).filter(isKeyFile)
  return Promise.all(files.map((file) => privateKeyIn(dataDir, file)))
}

const held = ({ transparency }: Known): readonly HeldKey[] =>
  heldKeys(transparency.keys.all().map(({ data }) => data))

/**
 * The keys in the files, all of which the log knows; a new log takes one that was put there.
 * @throws UnusableKey
 */
export const checkpointKeysIn = async (
  core: Known,
  dataDir: string,
): Promise<readonly PrivateKey[]> => {
  const keys = await privateKeysIn(dataDir)
  for (const { file, id } of keys) {
    if ((await core.find(checkpointKeys, id, 'log')).status === 'present') continue
    await core.caughtUp()
    if (held(core).length === 0) continue
    throw new UnusableKey(
      `${join(dataDir, file)} contains another key than the log knows: put the right one back ` +
        'from a copy, or remove it. `daybook key rotate checkpoints` changes keys',
    )
  }
  return keys
}

const publish = async (
  core: Known,
  key: PrivateKey,
  at: Instant,
  othersUntil: Instant,
  context: Context,
): Promise<void> => {
  const publicKey = Buffer.from(rawKeyOf(key.key)).toString('base64')
  const data = { id: key.id, publicKey, signsFrom: at, othersUntil }
  const command = { type: 'Register', data } as const
  // Another process may be registering the same key.
  const published = core.handle(checkpointKeys, key.id, command, context)
  await published.catch(ignoreRefusal)
  await core.caughtUp()
}

/** Publishes the first key. @throws UnusableKey */
const publishFirst = async (
  core: Known,
  dataDir: string,
  machineNow: () => Instant,
): Promise<void> => {
  await core.caughtUp()
  const known = held(core)
  const local = await checkpointKeysIn(core, dataDir)
  const first = local.find(({ file }) => file === firstFile)
  // A node without the key of its log creates none: it leaves signing to the nodes that have it.
  const key = known.length === 0 ? (first ?? (await privateKeyIn(dataDir, firstFile))) : first
  const at = machineNow()
  if (key && !known.some(({ id }) => id === key.id))
    await publish(core, key, at, at, core.contextOf('daybook'))
}

/** The checkpoint keys: private ones in the data directory, public ones in the log. */
export const openCheckpointKeys = (
  core: Known,
  dataDir: string,
  machineNow: () => Instant,
  log: Pick<Log, 'warn'>,
) => {
  let published: Promise<void> | undefined
  let isTold = false
  return {
    /** Waits for the read models, so nothing should wait for it. */
    publishFirst: (): Promise<void> => {
      published ??= publishFirst(core, dataDir, machineNow).catch((error: unknown) => {
        published = undefined
        throw error
      })
      return published
    },
    /** All current and earlier keys, newest first. */
    held: (): readonly HeldKey[] => held(core).toReversed(),
    /** Currently valid private keys, oldest first; none on a node that does not sign. */
    signing: async (): Promise<readonly KeyObject[]> => {
      const local = await privateKeysIn(dataDir)
      const current = held(core).filter((key) => isHeld(key, machineNow()))
      const keys = current.flatMap(({ id }) => local.find((key) => key.id === id)?.key ?? [])
      if (keys.length === 0 && !isTold)
        log.warn({ folder: dataDir }, 'no key of checkpoints that holds is here: none is signed')
      isTold = keys.length === 0
      return keys
    },
  }
}

/**
 * Publishes a new key that signs at once. Earlier keys also sign until the overlap ends; private
 * keys that no longer sign are removed.
 */
export const rotateCheckpointKey = async (
  core: Known,
  dataDir: string,
  othersUntil: Instant,
  machineNow: () => Instant,
  context: Context = core.contextOf('operator'),
) => {
  await publishFirst(core, dataDir, machineNow)
  const now = machineNow()
  const ended = new Set(held(core).flatMap((key) => (isHeld(key, now) ? [] : key.id)))
  const outdated = (await privateKeysIn(dataDir)).filter(({ id }) => ended.has(id))
  const nameOf = (id: string): string => firstFile.replace('.pem', `-${id}.pem`)
  const key = await privateKeyIn(dataDir, nameOf(randomBytes(8).toString('hex')))
  const name = nameOf(key.id)
  renameSync(join(dataDir, key.file), join(dataDir, name))
  await publish(core, key, now, othersUntil, context)
  for (const { file } of outdated) rmSync(join(dataDir, file), { force: true })
  return { id: key.id, file: name, removed: outdated.length }
}
