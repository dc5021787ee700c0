import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { wallClock, pause, steadyTime } from '../../application/machine.ts'
import type { OtherStreams } from '../event-store/eventstoredb-writer.ts'
import { fail } from '../failures.ts'
import { usedOnce, type UsedOnce } from '../people/used-once.ts'
import { differencesOf, secretsLacking, type VaultContents } from '../people/vault-port.ts'
import { isVaultFile, contentsOfFile } from '../people/vault-file.ts'
import { readVaultKeys, type VaultKey } from '../people/vault-wrapping.ts'
import { vaultInStreams, type Settings } from '../settings.ts'
import { usedIn, openStoreToRead, type OpenedStore } from '../stores.ts'
import { contentsOfStreams } from './contents.ts'
import { isVaultThere } from './key-pages.ts'
import { usedInStream } from './used-once.ts'
import { installations } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import { rewrapVault } from '../people/vault.ts'
import type { LeaseEvent } from '../../domain/leases.ts'
import { leaseStream } from '../../application/lease-stream.ts'

type Places = { readonly from: string; readonly to: string }

type Both = { readonly source: VaultContents; readonly target: VaultContents }

/** The file of a vault, or `streams`. */
const placeOf = (place: string): string => (place === vaultInStreams ? place : resolve(place))

/** @throws OperatorError unless one of them is a file */
const placesOf = ({ from, to }: Places): readonly [from: string, to: string] => {
  const [one, other] = [placeOf(from), placeOf(to)]
  if ((one === vaultInStreams) === (other === vaultInStreams))
    fail('one of --from and --to is the file of a vault, the other one is: streams')
  return [one, other]
}

/** @throws OperatorError if the file is something else */
const openOrBegin = async (
  place: string,
  streams: OtherStreams | undefined,
  keys: readonly VaultKey[],
): Promise<VaultContents> => {
  if (place === vaultInStreams && streams) return contentsOfStreams(streams, keys)
  if (existsSync(place) && !isVaultFile(place)) fail(`${place} is not the file of a vault`)
  return contentsOfFile(place, keys)
}

/** @throws OperatorError if there is no vault */
const openThere = async (
  place: string,
  streams: OtherStreams | undefined,
  keys: readonly VaultKey[],
): Promise<VaultContents> => {
  const isThere =
    place === vaultInStreams ? streams && (await isVaultThere(streams)) : existsSync(place)
  if (!isThere) fail(`there is no vault at ${place}`)
  return openOrBegin(place, streams, keys)
}

/** Opens both anew each time, so that what is read has been written. */
const openerOf = (
  streams: OtherStreams,
  keys: readonly VaultKey[],
  places: readonly [from: string, to: string],
) => {
  let opened: VaultContents[] = []
  const opening = async (contents: Promise<VaultContents>): Promise<VaultContents> => {
    opened.push(await contents)
    return contents
  }
  const close = async (): Promise<void> => {
    for (const contents of opened) await contents.close()
    opened = []
  }
  const openSource = async (): Promise<VaultContents> => {
    await close()
    return opening(openThere(places[0], streams, keys))
  }
  const openBoth = async (): Promise<Both> => {
    const source = await openSource()
    return { source, target: await opening(openOrBegin(places[1], streams, keys)) }
  }
  const usedAt = (place: string): UsedOnce =>
    place === vaultInStreams
      ? usedInStream(streams, '')
      : usedOnce(usedIn({ DATA_DIR: '', VAULT: place }), '')
  /** Copies used proofs and codes, so that they cannot be used again. */
  const carryUses = async (): Promise<void> => {
    const [source, target] = [usedAt(places[0]), usedAt(places[1])]
    const now = wallClock()
    await target.keep((await source.all()).filter(({ until }) => until >= now))
    for (const used of [source, target]) used.close()
  }
  return { openSource, openBoth, carryUses, close }
}

type Progress = (stage: string, done: number, of: number) => void

/** How long a crashed node may still count as running, in ms, and how often to check. */
const [silenceMs, lookEveryMs] = [7_500, 250]

const nodesIn = ({ data }: { readonly data: unknown }): readonly string[] =>
  Object.keys((data as LeaseEvent['data']).nodes)

/** @throws OperatorError while a service runs on the log, because its writes would be lost */
const refuseWhileServed = async (streams: OtherStreams): Promise<void> => {
  let newest = (await streams.readStream(leaseStream)).at(-1)
  const end = steadyTime() + silenceMs
  while (newest && nodesIn(newest).length > 0 && steadyTime() < end) {
    await pause(lookEveryMs)
    const next = (await streams.readStream(leaseStream, newest.revision + 1)).at(-1)
    if (!next) continue
    const nodes = nodesIn(next)
    if (nodes.length > 0) fail(`${nodes.length} services run on this log: stop them first`)
    newest = next
  }
}

const vaultOfLog = async (store: OpenedStore): Promise<string | undefined> => {
  const events = await store.readStream(streamOf(installations, 'daybook'))
  for (const event of events.map(parseEvent))
    if (event.type === 'VaultChosen') return event.data.vault
  return undefined
}

/** @throws OperatorError if nothing can be moved from the source */
const checkSource = (source: VaultContents, chosen: string | undefined): void => {
  if (source.name() !== chosen)
    fail(`${source.label} is not the vault that this log is sealed with`)
  if (source.standing() === 'filling')
    fail(`${source.label} does not hold all people yet: move into it what it is filled from`)
}

/** @returns whether the target is already complete @throws OperatorError */
const checkTarget = ({ source, target }: Both): boolean => {
  if (!target.isEmpty() && target.name() !== source.name())
    fail(`${target.label} is the vault of another log: nothing is moved into it`)
  if (target.isEmpty() || target.standing() !== 'used') {
    if (source.standing() === 'left')
      fail(`${source.label} has been moved elsewhere: nothing is moved`)
    return false
  }
  if (source.standing() === 'used')
    fail(`${target.label} is a vault in use: nothing is moved into it`)
  return true
}

/** Makes the target equal to the source. */
const fill = async (both: Both, onProgress: Progress) => {
  const { source, target } = both
  const done = { copied: 0, erased: 0 }
  await target.keepSecrets(secretsLacking(both))
  let seen = 0
  for (const { seen: more, lacking, extra } of differencesOf(both)) {
    if (lacking.length > 0) await target.put(lacking)
    if (extra.length > 0) await target.erase(extra)
    done.copied += lacking.length
    done.erased += extra.length
    onProgress('copying', (seen += more), source.count())
  }
  return done
}

/** @throws OperatorError if they differ */
const verify = (both: Both, onProgress: Progress) => {
  const { source, target } = both
  const different = secretsLacking(both).length
  if (different > 0) fail(`${target.label} lacks ${different} secrets: run the command again`)
  let seen = 0
  for (const { seen: more, lacking, extra } of differencesOf(both)) {
    const people = lacking.length + extra.length
    if (people > 0) fail(`${target.label} differs in ${people} people: run the command again`)
    onProgress('verifying', (seen += more), source.count())
  }
  return { secrets: source.secrets().length }
}

/** Closes both to services, fills the target from the source, and compares them. */
const moveBetween = async (
  { openBoth, carryUses }: ReturnType<typeof openerOf>,
  onProgress: Progress,
) => {
  const { source, target } = await openBoth()
  await target.stand('filling')
  await source.stand('moving')
  const filled = await fill({ source, target }, onProgress)
  await carryUses()
  const verified = verify(await openBoth(), onProgress)
  return { ...verified, ...filled }
}

/**
 * Moves the vault of a log into streams of its database, or out of them. Both are closed to
 * services until the target is complete. After an interruption, running it again continues.
 * @throws OperatorError if nothing is moved
 */
export const moveVault = async (
  places: Places,
  settings: Settings,
  onProgress: Progress,
): Promise<object> => {
  const [from, to] = placesOf(places)
  const keys = readVaultKeys(settings)
  const [key] = keys
  if (!key) return fail('a vault in streams needs VAULT_KEY_FILE or VAULT_KEY_COMMAND')
  const store = await openStoreToRead(settings)
  let close = async (): Promise<void> => {}
  try {
    const { streams } = store
    if (!streams)
      return fail('a vault in streams needs a log in EventStoreDB: EVENT_STORE=esdb://…')
    await refuseWhileServed(streams)
    const opener = openerOf(streams, keys, [from, to])
    close = opener.close
    checkSource(await opener.openSource(), await vaultOfLog(store))
    const isDone = checkTarget(await opener.openBoth())
    const moved = isDone ? {} : await moveBetween(opener, onProgress)
    const { source, target } = await opener.openBoth()
    if (to !== vaultInStreams) rewrapVault(to, key, keys)
    if (target.standing() !== 'used') await target.stand('used')
    if (source.standing() !== 'left') await source.stand('left')
    const counts = { already_moved: isDone, people: target.count(), ...moved }
    const next = `start each service with VAULT=${to}, then run: daybook vault discard ${from}`
    return { from, to, ...counts, next }
  } finally {
    await close()
    await store.close()
  }
}

/**
 * Deletes a vault that was moved elsewhere, including everybody's keys.
 * @throws OperatorError for any other vault
 */
export const discardVault = async (target: string, settings: Settings): Promise<object> => {
  const place = placeOf(target)
  const keys = readVaultKeys(settings)
  const store = await openStoreToRead(settings)
  try {
    const { streams } = store
    const contents = await openThere(place, streams, keys)
    if (contents.standing() !== 'left')
      fail(`${contents.label} has not been moved elsewhere: it is not thrown away`)
    await contents.discard()
    return { discarded: target }
  } finally {
    await store.close()
  }
}
