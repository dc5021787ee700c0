import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { wallClock } from '../../application/machine.ts'
import type { OtherStreams } from '../event-store/eventstoredb-writer.ts'
import { fail } from '../failures.ts'
import { usedOnce, type UsedOnce } from '../people/used-once.ts'
import type { VaultContents } from '../people/vault-port.ts'
import { isVaultFile, contentsOfFile } from '../people/vault-file.ts'
import type { VaultKey } from '../people/vault-wrapping.ts'
import { vaultInStreams } from '../settings.ts'
import { usedIn } from '../stores.ts'
import { contentsOfStreams } from './contents.ts'
import { isVaultThere } from './key-pages.ts'
import { usedInStream } from './used-once.ts'

export type Places = { readonly from: string; readonly to: string }

export type Both = { readonly source: VaultContents; readonly target: VaultContents }

/** The file of a vault, or `streams`. */
export const placeOf = (given: string): string =>
  given === vaultInStreams ? given : resolve(given)

/** @throws OperatorError unless one of them is a file */
export const placesOf = ({ from, to }: Places): readonly [from: string, to: string] => {
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
export const openThere = async (
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
export const openerOf = (
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
